/** Platform events (specification 6, rule by rule) and error responses (specification 7, line by line). */
import { beforeEach, expect, test } from "vitest";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
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
  "an_unknown_kind",
];

test.each(kinds)("Event sink accepts events of the kind %s", async (event) => {
  expect(await post({ node: "10.0.0.21", seq: 1, version: 2, time: 1.5, event, data: {} })).toMatchObject({
    status: 204,
    text: "",
  });
});

test("Event sink queues a name for conference_ended only", async () => {
  for (const event of kinds) await post({ event, data: { name: `of-${event}`, conference: `of-${event}` } });
  expect(await queued()).toEqual(["of-conference_ended"]);
});

test("Event sink reads the name from data.name, or from data.conference if data.name is absent", async () => {
  await post({ event: "conference_ended", data: { name: "one", conference: "not-this" } });
  await post({ event: "conference_ended", data: { conference: "two" } });
  await post({ event: "conference_ended", data: { name: null, conference: "three" } });
  expect(await queued()).toEqual(["one", "three", "two"]);
});

test("Event sink adds the name to room-deletion-queue and does not delete the room", async () => {
  gateway.addRoom("a-room");
  await post({ event: "conference_ended", data: { name: "a-room" } });
  expect(await queued()).toEqual(["a-room"]);
  expect(gateway.room("a-room")).toBeDefined();
  expect(gateway.stack.platform.requests().total).toBe(0);
});

test("Collector keeps a room after a brief disconnect, because its message is too recent", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.startConference({ name: "a-room" });
  gateway.stack.platform.endConference({ name: "a-room" });
  await post({ event: "conference_ended", data: { name: "a-room" } });
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room("a-room")).toBeDefined();
  expect(await gateway.queues.deletion.count()).toBe(1);
});

test("Event sink accepts the events that the simulated nodes of the platform post", async () => {
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

test.each(notFound)("%s returns 404 without a body", async (request, sent) => {
  const response = await gateway.sendAsApplication(request, sent);
  expect(response).toMatchObject({ status: 404, text: "" });
  expect(response.headers["content-type"]).toBeUndefined();
});

test("GET /public/room/{room_name} returns 404 without a body for an unknown room", async () => {
  const response = await gateway.send("GET /public/room/nobody", { headers: asAgent });
  expect(response).toMatchObject({ status: 404, text: "" });
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

test.each(invalid)(
  "%s returns 422 with one fault in FastAPI's format",
  async (request, access, sent, place) => {
    const headers = { bearer: gateway.asApplication(), agent: asAgent, sink: asEventSink() }[access] ?? {};
    const response = await gateway.send(request, { headers, ...sent });
    expect(response.status).toBe(422);
    const { detail } = response.json as { detail: { loc: unknown[]; msg: string; type: string }[] };
    expect(detail).toHaveLength(1);
    expect(detail[0]).toMatchObject({
      loc: expect.arrayContaining([place]),
      msg: expect.any(String),
      type: expect.any(String),
    });
  },
);
