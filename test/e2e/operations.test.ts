/** Every operation succeeds as specified, and the rules below the tables hold (specification 4). */
import { beforeEach, expect, test } from "vitest";
import { identities } from "../../tools/local/stack/identities.ts";
import { document } from "../support/api-document.ts";
import { asAgent } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway();
beforeEach(async () => gateway.empty());

const fieldsOf = (body: unknown) => Object.keys(body as object).toSorted();
const documentedFields = (schema: string) => fieldsOf(document.components.schemas[schema]?.["properties"]);
const constrainedFields = documentedFields("ConstrainedConference");

// Private operations: specification 4.1.

test("POST /room/create returns 200 without uuiData and ignores a body", async () => {
  await gateway.poolRoom("a-room");
  const response = await gateway.sendAsApplication("POST /room/create", { json: { name: "x" } });
  expect(response).toMatchObject({ status: 200, json: { name: "a-room" } });
});

test("GET /room/list returns 200 and an array of ConstrainedConference that includes other services", async () => {
  gateway.addRoom("a-room");
  gateway.stack.platform.seedRooms({ mixed: true });
  // There may be more: replacements of rooms that earlier tests took.
  const names = gateway.stack.platform.rooms().map(({ name }) => name);
  const response = await gateway.sendAsApplication("GET /room/list");
  expect(response.status).toBe(200);
  const rows = response.json as Record<string, unknown>[];
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  for (const row of rows) expect(fieldsOf(row)).toEqual(constrainedFields);
  const testCall = { service_type: "test_call", pin: "", tag: "", allow_guests: false };
  expect(rows).toContainEqual(expect.objectContaining(testCall));
});

test("GET /room/list?constrained_attributes=false returns 200 and an array of Conference", async () => {
  gateway.addRoom("a-room");
  const response = await gateway.sendAsApplication("GET /room/list?constrained_attributes=false");
  const row = (response.json as Record<string, unknown>[]).find(({ name }) => name === "a-room");
  expect(row).toMatchObject({ name: "a-room", pin: identities.hostPin });
  expect(fieldsOf(row)).toEqual(expect.arrayContaining(["participant_limit", "call_type", "resource_uri"]));
});

test("GET /room/{room_name} returns 200 and a ConstrainedConference by default and on request", async () => {
  gateway.addRoom("a-room");
  for (const query of ["", "?constrained_attributes=true", "?constrained_attributes=1"]) {
    const response = await gateway.sendAsApplication(`GET /room/a-room${query}`);
    expect(response).toMatchObject({ status: 200, json: { name: "a-room", pin: identities.hostPin } });
    expect(fieldsOf(response.json)).toEqual(constrainedFields);
  }
});

test("GET /room/{room_name}?constrained_attributes=false returns 200 and every field of Conference", async () => {
  gateway.addRoom("a-room", { ivr_theme: "/api/admin/configuration/v1/ivr_theme/1/" });
  const response = await gateway.sendAsApplication("GET /room/a-room?constrained_attributes=false");
  const room = response.json as Record<string, unknown>;
  expect(response.status).toBe(200);
  expect(documentedFields("Conference").filter((field) => !(field in room))).toEqual([]);
  expect(room).toMatchObject({
    ivr_theme: [expect.any(Object)],
    automatic_participants: [],
    mssip_proxy: null,
  });
});

// Public operations: specification 4.2.

test("GET /public/room/{room_name} returns 200 and the private shapes without the host PIN", async () => {
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

test("All response bodies are JSON", async () => {
  gateway.addRoom("a-room");
  const responses = await Promise.all([
    gateway.sendAsApplication("GET /room/list"),
    gateway.sendAsApplication("GET /room/a-room"),
    gateway.send("GET /public/health"),
    gateway.send("GET /room/list"),
    gateway.sendAsApplication("GET /room/list?constrained_attributes=x"),
  ]);
  expect(new Set(responses.map(({ headers }) => headers["content-type"]))).toEqual(
    new Set(["application/json"]),
  );
});
