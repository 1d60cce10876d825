/** The events of the platform: specification §6, rule by rule, and every line of §7. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(async () => gateway.stop());
beforeEach(async () => gateway.empty());

const post = async (json: unknown) =>
  gateway.send("POST /public/event_sink", { headers: asEventSink(), json });
const queued = async () => (await gateway.queues.deletion.receive(32, 1)).map(({ text }) => text).toSorted();

const kinds = [
  "eventsink_started",
  "eventsink_updated",
  "eventsink_ended",
  "conference_started",
  "conference_updated",
  "conference_ended",
  "participant_connected",
  "participant_updated",
  "participant_disconnected",
  "participant_media_stream_window",
  "a_kind_of_tomorrow",
];

test.each(kinds)("§6.1 events of the kind %s are accepted", async (event) => {
  expect(await post({ node: "10.0.0.21", seq: 1, version: 2, time: 1.5, event, data: {} })).toMatchObject({
    status: 204,
    text: "",
  });
});

test("§6.2 only conference_ended is acted on", async () => {
  for (const event of kinds) await post({ event, data: { name: `of-${event}`, conference: `of-${event}` } });
  expect(await queued()).toEqual(["of-conference_ended"]);
});

test("§6.3 the name is data.name; if that is absent, data.conference", async () => {
  await post({ event: "conference_ended", data: { name: "one", conference: "not-this" } });
  await post({ event: "conference_ended", data: { conference: "two" } });
  await post({ event: "conference_ended", data: { name: null, conference: "three" } });
  expect(await queued()).toEqual(["one", "three", "two"]);
});

test("§6.4 the name is added to room-deletion-queue; the room is not deleted at receipt", async () => {
  gateway.addRoom("a-room");
  await post({ event: "conference_ended", data: { name: "a-room" } });
  expect(await queued()).toEqual(["a-room"]);
  expect(gateway.room("a-room")).toBeDefined();
  expect(gateway.stack.platform.requests().total).toBe(0);
});

test("§6.5 after a brief disconnect the room is still there: its message is too young", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.startConference({ name: "a-room" });
  gateway.stack.platform.endConference({ name: "a-room" });
  await post({ event: "conference_ended", data: { name: "a-room" } });
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room("a-room")).toBeDefined();
  expect(await gateway.queues.deletion.count()).toBe(1);
});

test("the platform's own events, posted by its simulated nodes, are taken as they come", async () => {
  const { platform } = gateway.stack;
  platform.configureSink({
    url: `${gateway.url}/public/event_sink`,
    username: "event-sink",
    password: "local-sink-password",
  });
  gateway.addRoom("a-room");
  platform.startConference({ name: "a-room", nodes: ["10.0.0.21", "10.0.0.22"], participants: 3 });
  platform.endConference({ name: "a-room" });
  await platform.sinkIdle();
  expect(platform.sinkState()).toMatchObject({ failedAttempts: 0, queued: 0, stoppedNodes: [] });
  expect(new Set(await queued())).toEqual(new Set(["a-room"]));
});

const notFound: [string, object][] = [
  ["POST /room/create", {}],
  ["POST /room/create/old", {}],
  ["GET /room/nobody", {}],
  ["PATCH /room/nobody", { json: {} }],
  ["DELETE /room/nobody", {}],
  ["GET /room/list/of/nothing", {}],
  ["GET /room/bulk/", {}],
  ["PUT /room/a-room", {}],
  ["GET /public/event_sink", {}],
  ["POST /public/health", {}],
  ["GET /nothing", {}],
];

test.each(notFound)("§7 404, no body: %s", async (request, sent) => {
  const answer = await gateway.sendAsApplication(request, sent);
  expect(answer).toMatchObject({ status: 404, text: "" });
  expect(answer.headers["content-type"]).toBeUndefined();
});

test("§7 404, no body: GET /public/room/{room_name}", async () => {
  const answer = await gateway.send("GET /public/room/nobody", { headers: asAgent });
  expect(answer).toMatchObject({ status: 404, text: "" });
});

const invalid: [string, string, object, string][] = [
  ["POST /room/create?uuiData=0", "bearer", {}, "uuiData"],
  ["POST /room/create/old?uuiData=0", "bearer", {}, "uuiData"],
  ["GET /room/list?constrained_attributes=2", "bearer", {}, "constrained_attributes"],
  ["GET /room/x?constrained_attributes=2", "bearer", {}, "constrained_attributes"],
  ["POST /room/bulk/?max_vmr=-1", "bearer", {}, "max_vmr"],
  ["PATCH /room/x", "bearer", { json: { pin: 1 } }, "pin"],
  ["GET /public/room/x?constrained_attributes=2", "agent", {}, "constrained_attributes"],
  ["POST /public/event_sink", "sink", { json: [] }, "body"],
];

test.each(invalid)("§7 422, HTTPValidationError: %s", async (request, access, sent, place) => {
  const headers = { bearer: gateway.asApplication(), agent: asAgent, sink: asEventSink() }[access] ?? {};
  const answer = await gateway.send(request, { headers, ...sent });
  expect(answer.status).toBe(422);
  const { detail } = answer.json as { detail: { loc: unknown[]; msg: string; type: string }[] };
  expect(detail).toHaveLength(1);
  expect(detail[0]).toMatchObject({
    loc: expect.arrayContaining([place]),
    msg: expect.any(String),
    type: expect.any(String),
  });
});
