/** Bodies of every wrong kind through the host, at both operations that take one. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { asEventSink } from "../support/credentials.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(async () => gateway.stop());
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
  ["white space", " \n ", "json_invalid", "json_invalid"],
  ["not JSON", "{not JSON}", "json_invalid", "json_invalid"],
  ["cut off", '{"pin": "12', "json_invalid", "json_invalid"],
  ["with something behind it", "{} {}", "json_invalid", "json_invalid"],
  ["an array", '[{"event":"x"}]', "model_attributes_type", "dict_type"],
  ["a number", "5", "model_attributes_type", "dict_type"],
  ["a text", '"x"', "model_attributes_type", "dict_type"],
  ["null", "null", "model_attributes_type", "dict_type"],
  ["true", "true", "model_attributes_type", "dict_type"],
  ["100,000 levels deep", nested(100_000), "json_invalid", "json_invalid"],
  ["100,000 open brackets", "[".repeat(100_000), "json_invalid", "json_invalid"],
];

test.each(bodies)("422 for a body that is %s", async (_, text, ofPatch, ofEvent) => {
  expect(await patch(text)).toMatchObject({ status: 422, json: { detail: [{ type: ofPatch }] } });
  expect(await post(text)).toMatchObject({ status: 422, json: { detail: [{ type: ofEvent }] } });
});

test("a body of 2 MB: 413 where 1 MiB is the limit, 204 where 16 MiB is", async () => {
  const text = JSON.stringify({ event: "x", description: "x".repeat(2 * megabyte) });
  expect(await patch(text)).toMatchObject({ status: 413, json: { detail: "The body is too large" } });
  expect(await post(text)).toMatchObject({ status: 204 });
});

test("a body of 17 MB: 413 for both", async () => {
  const text = " ".repeat(17 * megabyte);
  expect(await patch(text)).toMatchObject({ status: 413 });
  expect(await post(text)).toMatchObject({ status: 413 });
});

test("a body sent in chunks: 411 for both, as the host drops it", async () => {
  const chunked = { ...asJson, "transfer-encoding": "chunked" };
  const detail = "Send the body with a Content-Length header";
  expect(await patch("{}", chunked)).toMatchObject({ status: 411, json: { detail } });
  expect(await post("{}", chunked)).toMatchObject({ status: 411, json: { detail } });
});

test.each(["text/plain", "application/xml", "multipart/form-data", ""])(
  "JSON sent as %j: 422 for a change of a room, 204 for an event",
  async (type) => {
    const headers = { "content-type": type };
    expect(await patch("{}", headers)).toMatchObject({ status: 422 });
    expect(await post("{}", headers)).toMatchObject({ status: 204 });
  },
);

test.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/merge-patch+json"])(
  "JSON sent as %j is taken by both",
  async (type) => {
    const headers = { "content-type": type };
    expect(await patch("{}", headers)).toMatchObject({ status: 202 });
    expect(await post("{}", headers)).toMatchObject({ status: 204 });
  },
);

test("a byte order mark before the JSON is no fault", async () => {
  expect(await patch("\ufeff{}")).toMatchObject({ status: 202 });
  expect(await post("\ufeff{}")).toMatchObject({ status: 204 });
});

test("__proto__ and constructor are names like any others", async () => {
  const text = '{"__proto__":{"allow_guests":false},"constructor":{"prototype":{"polluted":true}}}';
  expect((await patch(text)).status).toBeLessThan(500);
  expect(await post(text)).toMatchObject({ status: 204 });
  expect(gateway.room("a-room")).toMatchObject({ allow_guests: true });
  expect(await gateway.send("GET /public/health")).toMatchObject({ status: 200 });
});

test("the last of repeated keys counts", async () => {
  expect(await patch('{"participant_limit":3,"participant_limit":5}')).toMatchObject({ status: 202 });
  expect(gateway.room("a-room")).toMatchObject({ participant_limit: 5 });
});
