/** Bodies that the host or its limits could change, sent to both operations that accept a body. */
import { beforeEach, expect, test } from "vitest";
import { asEventSink } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
beforeEach(() => {
  gateway.stack.platform.reset();
  gateway.addRoom("a-room");
});

const asJson = { "content-type": "application/json" };
const patch = async (text: string, headers: Record<string, string> = asJson) =>
  gateway.sendAsApplication("PATCH /room/a-room", { text, headers });
const post = async (text: string, headers: Record<string, string> = asJson) =>
  gateway.send("POST /public/event_sink", { text, headers: { ...asEventSink(), ...headers } });

const megabyte = 1024 * 1024;
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const bodies: [what: string, text: string, ofPatch: string, ofEvent: string][] = [
  ["empty", "", "missing", "missing"],
  ["whitespace", " \n ", "json_invalid", "json_invalid"],
  ["followed by another value", "{} {}", "json_invalid", "json_invalid"],
  ["true", "true", "model_attributes_type", "dict_type"],
  ["100,000 levels deep", nested(100_000), "json_invalid", "json_invalid"],
  ["100,000 open brackets", "[".repeat(100_000), "json_invalid", "json_invalid"],
];

test.each(bodies)("Both operations return 422 for a body that is %s", async (_, text, ofPatch, ofEvent) => {
  expect(await patch(text)).toMatchObject({ status: 422, json: { detail: [{ type: ofPatch }] } });
  expect(await post(text)).toMatchObject({ status: 422, json: { detail: [{ type: ofEvent }] } });
});

test("PATCH returns 413 for a body of 2 MB, which the event sink accepts", async () => {
  const text = JSON.stringify({ event: "x", description: "x".repeat(2 * megabyte) });
  expect(await patch(text)).toMatchObject({ status: 413, json: { detail: "The body is too large" } });
  expect(await post(text)).toMatchObject({ status: 204 });
});

test("Both operations return 413 for a body of 17 MB", async () => {
  const text = " ".repeat(17 * megabyte);
  expect(await patch(text)).toMatchObject({ status: 413 });
  expect(await post(text)).toMatchObject({ status: 413 });
});

test("Both operations return 411 for a chunked body, which the host drops", async () => {
  const chunked = { ...asJson, "transfer-encoding": "chunked" };
  const detail = "Send the body with a Content-Length header";
  expect(await patch("{}", chunked)).toMatchObject({ status: 411, json: { detail } });
  expect(await post("{}", chunked)).toMatchObject({ status: 411, json: { detail } });
});

test.each(["text/plain", "application/xml", "multipart/form-data", ""])(
  "PATCH returns 422 for JSON sent as %j, which the event sink accepts",
  async (type) => {
    const headers = { "content-type": type };
    expect(await patch("{}", headers)).toMatchObject({ status: 422 });
    expect(await post("{}", headers)).toMatchObject({ status: 204 });
  },
);

test.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/merge-patch+json"])(
  "Both operations accept JSON sent as %j",
  async (type) => {
    const headers = { "content-type": type };
    expect(await patch("{}", headers)).toMatchObject({ status: 202 });
    expect(await post("{}", headers)).toMatchObject({ status: 204 });
  },
);

test("Both operations accept JSON after a byte order mark", async () => {
  expect(await patch("\ufeff{}")).toMatchObject({ status: 202 });
  expect(await post("\ufeff{}")).toMatchObject({ status: 204 });
});

test("Both operations treat __proto__ and constructor as ordinary names", async () => {
  const text = '{"__proto__":{"allow_guests":false},"constructor":{"prototype":{"polluted":true}}}';
  expect((await patch(text)).status).toBeLessThan(500);
  expect(await post(text)).toMatchObject({ status: 204 });
  expect(gateway.room("a-room")).toMatchObject({ allow_guests: true });
  expect(await gateway.send("GET /public/health")).toMatchObject({ status: 200 });
});

test("PATCH uses the last value of a repeated key", async () => {
  expect(await patch('{"participant_limit":3,"participant_limit":5}')).toMatchObject({ status: 202 });
  expect(gateway.room("a-room")).toMatchObject({ participant_limit: 5 });
});
