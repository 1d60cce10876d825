/** Platform events (specification 6, rule by rule) and error responses (specification 7, line by line). */
import { beforeEach, expect, test } from "vitest";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
beforeEach(async () => gateway.empty());

const post = async (json: unknown) =>
  gateway.send("POST /public/event_sink", { headers: asEventSink(), json });
const queued = async () => (await gateway.queues.deletion.receive(32, 1)).map(({ text }) => text);

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

test.each(kinds)("Event sink accepts %s and queues a name for conference_ended only", async (event) => {
  const envelope = { node: "10.0.0.21", seq: 1, version: 2, time: 1.5, event };
  for (const data of [{}, { name: "a-room", conference: "a-room" }])
    expect(await post({ ...envelope, data })).toMatchObject({ status: 204, text: "" });
  expect(await queued()).toEqual(event === "conference_ended" ? ["a-room"] : []);
});

test("Event sink adds the name to room-deletion-queue and does not delete the room", async () => {
  gateway.addRoom("a-room");
  await post({ event: "conference_ended", data: { name: "a-room" } });
  expect(await queued()).toEqual(["a-room"]);
  expect(gateway.room("a-room")).toBeDefined();
  expect(gateway.stack.platform.requests().total).toBe(0);
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

test.each(invalid)("%s returns 422 with one fault, as FastAPI does", async (request, access, sent, place) => {
  const headers = { bearer: gateway.asApplication(), agent: asAgent, sink: asEventSink() }[access] ?? {};
  const fault = { loc: expect.arrayContaining([place]), msg: expect.any(String), type: expect.any(String) };
  const response = await gateway.send(request, { headers, ...sent });
  expect(response).toMatchObject({ status: 422, json: { detail: [fault] } });
});
