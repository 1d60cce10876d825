/** POST /public/event_sink: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { eventSink } from "../../src/functions/event-sink.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";
import { testBodyRefusals } from "../support/body-refusals.ts";
import { asEventSink } from "../support/credentials.ts";
import {
  type InProcessGateway,
  programmingError,
  startInProcessGateway,
  storageDown,
} from "../support/in-process-gateway.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const post = async (json: unknown, needs?: Dependencies) =>
  gateway.call(eventSink, { json, headers: asEventSink() }, needs);
const postText = async (text: string, headers: Record<string, string> = {}) =>
  gateway.call(eventSink, { text, headers: { ...asEventSink(), ...headers } });
const queued = async () => (await gateway.queues.deletion.receive(32, 1)).map(({ text }) => text).toSorted();
const ended = (name: unknown) => ({ event: "conference_ended", data: { name } });

test("204 without a body, and the name is stored", async () => {
  expect(await post(ended("a-room"))).toMatchObject({ status: 204, text: "" });
  expect(await queued()).toEqual(["a-room"]);
  expect(gateway.log.join("\n")).not.toMatch(/event-(ignored|unusable)/);
});

test("204 a bulk envelope: each name once", async () => {
  const data = [
    ended("a-room"),
    { event: "conference_started", data: { name: "c" } },
    ended("b-room"),
    ended("a-room"),
  ];
  expect(await post({ event: "eventsink_bulk", data })).toMatchObject({ status: 204 });
  expect(await queued()).toEqual(["a-room", "b-room"]);
});

test("204 data.conference where data.name is absent", async () => {
  await post({ event: "conference_ended", data: { conference: "a-room" } });
  await post({ event: "conference_ended", data: { name: "b-room", conference: "c-room" } });
  expect(await queued()).toEqual(["a-room", "b-room"]);
});

test.each<[string, unknown, string]>([
  [
    "another kind",
    { event: "participant_connected", data: { conference: "a-room" } },
    "participant_connected",
  ],
  ["an unknown kind", { event: "something_new", data: { name: "a-room" } }, "something_new"],
  ["no kind", { data: { name: "a-room" } }, "unnamed"],
  ["an empty object", {}, "unnamed"],
  [
    "a gateway call",
    { event: "conference_ended", data: { name: "a-room", service_type: "gateway" } },
    "conference_ended",
  ],
  [
    "a test call",
    { event: "conference_ended", data: { name: "a-room", service_type: "test_call" } },
    "conference_ended",
  ],
])("204 for %s, nothing is stored, and the log tells its kind", async (_, event, kind) => {
  expect(await post(event)).toMatchObject({ status: 204, text: "" });
  expect(await gateway.queues.deletion.count()).toBe(0);
  const lines = gateway.log.filter((line) => line.includes('"event":"event-ignored"'));
  expect(lines).toEqual([expect.stringContaining(`"count":1,"kind":"${kind}"`)]);
});

test.each<[string, unknown]>([
  ["no data", { event: "conference_ended" }],
  ["data that is a text", { event: "conference_ended", data: "a-room" }],
  ["data that is a list", { event: "conference_ended", data: ["a-room"] }],
  ["a name that is a number", ended(5)],
  ["an empty name", ended("")],
  ["a name of 251 characters", ended("x".repeat(251))],
  ["a name with a control character", ended("a\u0001b")],
])("204 for the end of a conference with %s, which is logged as unusable", async (_, event) => {
  expect(await post(event)).toMatchObject({ status: 204, text: "" });
  expect(await gateway.queues.deletion.count()).toBe(0);
  expect(gateway.log.join("\n")).toContain("event-unusable");
});

test.each(["a/b+c=", "Zürich ☃", "<a>&amp;'\"", " a b ", "x".repeat(250)])(
  "204 stores the name %j as it is",
  async (name) => {
    await post(ended(name));
    expect(await queued()).toEqual([name]);
  },
);

test.each(["text/plain", "application/x-www-form-urlencoded", ""])(
  "204 for JSON under the Content-Type %j: the platform does not document its own",
  async (type) => {
    expect(await postText(JSON.stringify(ended("a-room")), { "content-type": type })).toMatchObject({
      status: 204,
    });
    expect(await queued()).toEqual(["a-room"]);
  },
);

test("204 for a body of 2 MB", async () => {
  const event = { ...ended("a-room"), padding: "x".repeat(2 * 1024 * 1024) };
  expect(await post(event)).toMatchObject({ status: 204 });
  expect(await queued()).toEqual(["a-room"]);
});

test("204 for the previous credentials while they are being rotated", async () => {
  const rotation = {
    EVENT_SINK_PREVIOUS_USERNAME: "before",
    EVENT_SINK_PREVIOUS_PASSWORD: "earlier-password",
  };
  const needs = gateway.connect(rotation);
  const old = { json: ended("a-room"), headers: asEventSink("before", "earlier-password") };
  expect(await gateway.call(eventSink, old, needs)).toMatchObject({ status: 204 });
  expect(await post(ended("b-room"), needs)).toMatchObject({ status: 204 });
});

test.each<[string, Record<string, string>]>([
  ["no credentials", {}],
  ["a wrong password", asEventSink(identities.sinkUsername, "wrong")],
  ["a wrong user name", asEventSink("nobody", identities.sinkPassword)],
  ["both swapped", asEventSink(identities.sinkPassword, identities.sinkUsername)],
  ["an empty pair", asEventSink("", "")],
  [
    "the right start of the password",
    asEventSink(identities.sinkUsername, identities.sinkPassword.slice(0, -1)),
  ],
  [
    "a password with something behind it",
    asEventSink(identities.sinkUsername, `${identities.sinkPassword}x`),
  ],
  ["Basic without credentials", { authorization: "Basic" }],
  ["Basic that is not Base64", { authorization: "Basic ???" }],
  ["a bearer token", { authorization: "Bearer abc" }],
  [
    "credentials that are not encoded",
    { authorization: `Basic ${identities.sinkUsername}:${identities.sinkPassword}` },
  ],
])("401 with a Basic challenge for %s, and nothing is stored", async (_, headers) => {
  const answer = await gateway.call(eventSink, { json: ended("a-room"), headers });
  expect(answer).toMatchObject({
    status: 401,
    code: "unauthenticated",
    json: { detail: "Not authenticated" },
  });
  expect(answer.headers.get("www-authenticate")).toBe('Basic realm="vmr-gateway", charset="UTF-8"');
  expect(await gateway.queues.deletion.count()).toBe(0);
});

test("401 before the body is looked at", async () => {
  expect(await gateway.call(eventSink, { text: "not JSON" })).toMatchObject({
    status: 401,
    code: "unauthenticated",
  });
});

test("503 storage-unavailable while the queue cannot be reached, so that the platform sends it again", async () => {
  const answer = await post(ended("a-room"), gateway.connect(storageDown(gateway.stack.settings)));
  expect(answer).toMatchObject({
    status: 503,
    code: "storage-unavailable",
    json: { detail: "The room queues cannot be reached" },
  });
  expect(answer.headers.get("retry-after")).toBe("5");
});

test("204 without the queue for events that name no room", async () => {
  const needs = gateway.connect(storageDown(gateway.stack.settings));
  expect(await post({ event: "conference_started", data: { name: "a-room" } }, needs)).toMatchObject({
    status: 204,
  });
});

test("500 with a fixed text for an unexpected error", async () => {
  const needs = { ...gateway.dependencies(), endedRooms: { queueForDeletion: programmingError } };
  expect(await post(ended("a-room"), needs)).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});

testBodyRefusals({
  gateway: () => gateway,
  definition: eventSink,
  headers: () => asEventSink(),
  notAnObject: "dict_type",
  maxBytes: 16 * 1024 * 1024,
});
