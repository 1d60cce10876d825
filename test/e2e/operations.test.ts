/** Every operation of specification §4 with its success, and the rules under its tables. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway();
});
afterAll(async () => gateway.stop());
beforeEach(async () => gateway.empty());

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const pool = async (name: string) => {
  await gateway.queues.pool.put(gateway.addRoom(name));
  return name;
};
const constrainedFields = [
  "aliases",
  "allow_guests",
  "guest_pin",
  "id",
  "name",
  "pin",
  "service_type",
  "tag",
];
const fieldsOf = (body: unknown) => Object.keys(body as object).toSorted();

/** The fields of Conference as the specification's table lists them. */
const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as {
  components: { schemas: { Conference: { properties: Record<string, unknown> } } };
};

test.each(["/room/create", "/room/create/old"])(
  "§4.1 POST %s?uuiData=<hex>;encoding=hex: 200, ConstrainedConference without the host PIN (rules 1, 2)",
  async (path) => {
    const name = await pool("a-room");
    const tag = "https://verify.example.com/sessions/1";
    const answer = await gateway.sendAsApplication(`POST ${path}?uuiData=${hex(tag)};encoding=hex`);
    expect(answer).toMatchObject({
      status: 200,
      json: { name, tag, guest_pin: "135790", allow_guests: true },
    });
    expect(answer).toMatchObject({ json: { aliases: [{ alias: name }] } });
    expect(fieldsOf(answer.json)).toEqual(constrainedFields.filter((field) => field !== "pin"));
    expect(answer.text).not.toContain(identities.hostPin);
    expect(gateway.room(name)).toMatchObject({ tag });
  },
);

test("§4.1 POST /room/create without uuiData and with a body, which is ignored: 200", async () => {
  await pool("a-room");
  const answer = await gateway.sendAsApplication("POST /room/create", { json: { name: "x" } });
  expect(answer).toMatchObject({ status: 200, json: { name: "a-room" } });
});

test("§4.1 GET /room/list: 200, an array of ConstrainedConference, other services among them (rule 4)", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.seedRooms({ mixed: true });
  // More may come meanwhile: replacements of rooms that earlier tests took.
  const names = gateway.stack.platform.rooms().map(({ name }) => name);
  const answer = await gateway.sendAsApplication("GET /room/list");
  expect(answer.status).toBe(200);
  const rows = answer.json as Record<string, unknown>[];
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  for (const row of rows) expect(fieldsOf(row)).toEqual(constrainedFields);
  const testCall = { service_type: "test_call", pin: "", tag: "", allow_guests: false };
  expect(rows).toContainEqual(expect.objectContaining(testCall));
});

test("§4.1 GET /room/list?constrained_attributes=false: 200, an array of Conference (rule 3)", async () => {
  gateway.addRoom("a-room");
  const answer = await gateway.sendAsApplication("GET /room/list?constrained_attributes=false");
  const row = (answer.json as Record<string, unknown>[]).find(({ name }) => name === "a-room");
  expect(row).toMatchObject({ name: "a-room", pin: identities.hostPin });
  expect(fieldsOf(row)).toEqual(expect.arrayContaining(["participant_limit", "call_type", "resource_uri"]));
});

test("§4.1 GET /room/{room_name}: 200, ConstrainedConference by default and when asked for (rule 3)", async () => {
  gateway.addRoom("a-room");
  for (const query of ["", "?constrained_attributes=true", "?constrained_attributes=1"]) {
    const answer = await gateway.sendAsApplication(`GET /room/a-room${query}`);
    expect(answer).toMatchObject({ status: 200, json: { name: "a-room", pin: identities.hostPin } });
    expect(fieldsOf(answer.json)).toEqual(constrainedFields);
  }
});

test("§4.1 GET /room/{room_name}?constrained_attributes=false: 200, every field of Conference in its type (rule 3)", async () => {
  gateway.addRoom("a-room", { ivr_theme: "/api/admin/configuration/v1/ivr_theme/1/" });
  const answer = await gateway.sendAsApplication("GET /room/a-room?constrained_attributes=false");
  const room = answer.json as Record<string, unknown>;
  expect(answer.status).toBe(200);
  const missing = Object.keys(document.components.schemas.Conference.properties).filter(
    (field) => !(field in room),
  );
  expect(missing).toEqual([]);
  expect(room).toMatchObject({
    ivr_theme: [expect.any(Object)],
    automatic_participants: [],
    mssip_proxy: null,
  });
});

test("§4.1 PATCH /room/{room_name} with a Conference: 202, and the room is updated on the platform", async () => {
  gateway.addRoom("a-room");
  const json = { participant_limit: 9, enable_chat: "no", description: "a note" };
  expect(await gateway.sendAsApplication("PATCH /room/a-room", { json })).toMatchObject({
    status: 202,
    text: "",
  });
  expect(gateway.room("a-room")).toMatchObject({ participant_limit: 9, enable_chat: "no" });
});

test("§4.1 DELETE /room/{room_name}: 204, no body", async () => {
  gateway.addRoom("a-room");
  expect(await gateway.sendAsApplication("DELETE /room/a-room")).toMatchObject({ status: 204, text: "" });
  expect(gateway.room("a-room")).toBeUndefined();
});

test("§4.1 POST /room/bulk/?max_vmr=2: 202, rooms are created asynchronously", async () => {
  expect(await gateway.sendAsApplication("POST /room/bulk/?max_vmr=2")).toMatchObject({
    status: 202,
    text: "",
  });
  expect(await gateway.settled()).toBe(2);
  expect(gateway.stack.platform.roomCount()).toBe(2);
});

test("§4.1 DELETE /room/bulk/: 204, no body", async () => {
  await pool("a-room");
  expect(await gateway.sendAsApplication("DELETE /room/bulk/")).toMatchObject({ status: 204, text: "" });
  expect(gateway.stack.platform.roomCount()).toBe(0);
});

test.each([
  ["POST /room/create", 404],
  ["POST /room/create/old", 404],
  ["GET /room/nobody", 404],
  ["DELETE /room/nobody", 404],
  ["POST /room/create?uuiData=x", 422],
  ["POST /room/create/old?uuiData=x", 422],
  ["GET /room/list?constrained_attributes=x", 422],
  ["GET /room/nobody?constrained_attributes=x", 422],
  ["POST /room/bulk/?max_vmr=x", 422],
])("§4.1 rule 5: %s answers %i", async (request, status) => {
  expect(await gateway.sendAsApplication(request)).toMatchObject({ status });
});

test("§4.1 rule 5: PATCH answers 404 for an unknown room and 422 for a wrong body", async () => {
  expect(await gateway.sendAsApplication("PATCH /room/nobody", { json: {} })).toMatchObject({ status: 404 });
  expect(await gateway.sendAsApplication("PATCH /room/nobody", { text: "x" })).toMatchObject({ status: 422 });
});

test("§4.2 GET /public/room/{room_name}: 200, the shape of the private one", async () => {
  gateway.addRoom("a-room");
  const publicRead = async (query: string) =>
    gateway.send(`GET /public/room/a-room${query}`, { headers: asAgent });
  const constrained = await publicRead("");
  const own = await gateway.sendAsApplication("GET /room/a-room");
  expect({ ...(constrained.json as object), pin: identities.hostPin }).toEqual(own.json);
  const full = await publicRead("?constrained_attributes=false");
  const ownFull = await gateway.sendAsApplication("GET /room/a-room?constrained_attributes=false");
  expect({ ...(full.json as object), pin: identities.hostPin }).toEqual(ownFull.json);
  expect(constrained.text + full.text).not.toContain(identities.hostPin);
});

test("§4.2 POST /public/event_sink: 204, no content", async () => {
  const event = { headers: asEventSink(), json: { event: "conference_started", data: {} } };
  expect(await gateway.send("POST /public/event_sink", event)).toMatchObject({ status: 204, text: "" });
});

test("§4.2 and §2.4 GET /public/health: 200, alive and an ISO 8601 timestamp", async () => {
  const answer = await gateway.send("GET /public/health");
  const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  expect(answer.json).toEqual({ status: "alive", timestamp });
});

test("§1 all payloads are JSON", async () => {
  gateway.addRoom("a-room");
  const answers = await Promise.all([
    gateway.sendAsApplication("GET /room/list"),
    gateway.sendAsApplication("GET /room/a-room"),
    gateway.send("GET /public/health"),
    gateway.send("GET /room/list"),
    gateway.sendAsApplication("GET /room/list?constrained_attributes=x"),
  ]);
  expect(new Set(answers.map(({ headers }) => headers["content-type"]))).toEqual(
    new Set(["application/json"]),
  );
});
