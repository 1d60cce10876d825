/** GET /room/{room_name}: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { getRoom } from "../../src/functions/get-room.ts";
import { testBearerRefusals } from "../support/bearer-refusals.ts";
import {
  type InProcessGateway,
  programmingError,
  roomSecrets,
  startInProcessGateway,
} from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { acceptedBooleans, refusedBooleans } from "../support/query-booleans.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

const sent = { roomName: "a-room" };
const get = async (query: Record<string, string> = {}, roomName = "a-room") =>
  gateway.call(getRoom, { roomName, query, headers: gateway.asApplication() });

test("200 the constrained shape: what one needs to connect, and nothing else", async () => {
  gateway.addRoom("a-room");
  const answer = await get();
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.json).toEqual({
    id: expect.any(Number),
    name: "a-room",
    service_type: "conference",
    allow_guests: true,
    pin: identities.hostPin,
    guest_pin: roomSecrets.guestPin,
    tag: roomSecrets.tag,
    aliases: [expect.objectContaining({ alias: "a-room" })],
  });
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("200 the full shape: every field, the marker left out of the description", async () => {
  gateway.addRoom("a-room");
  const answer = await get({ constrained_attributes: "false" });
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({
    name: "a-room",
    description: "",
    pin: identities.hostPin,
    ivr_theme: null,
  });
  expect(answer.json).toHaveProperty("participant_limit");
});

test("200 relations as the specification types them, arrays of objects", async () => {
  gateway.addRoom("a-room", {
    ivr_theme: "/api/admin/configuration/v1/ivr_theme/1/",
    automatic_participants: ["/api/admin/configuration/v1/automatic_participant/1/"],
  });
  const { json } = await get({ constrained_attributes: "false" });
  expect(json).toMatchObject({
    ivr_theme: [expect.any(Object)],
    automatic_participants: [expect.any(Object)],
  });
});

test.each(acceptedBooleans)("200 for constrained_attributes=%s, read as %s", async (text, isConstrained) => {
  gateway.addRoom("a-room");
  const answer = await get({ constrained_attributes: text });
  expect(answer.status).toBe(200);
  expect("participant_limit" in (answer.json as object)).toBe(!isConstrained);
});

test.each(refusedBooleans)("422 bool_parsing for constrained_attributes=%j", async (text) => {
  gateway.addRoom("a-room");
  expect(await get({ constrained_attributes: text })).toMatchObject({
    status: 422,
    code: "invalid-request",
    json: {
      detail: [
        {
          type: "bool_parsing",
          loc: ["query", "constrained_attributes"],
          msg: "Input should be a valid boolean, unable to interpret input",
          input: text,
        },
      ],
    },
  });
});

test.each(["a room", "a+b/c=", "a%2Fb", "Zürich ☃", "x".repeat(250), "a&name=b", "?x=1#y"])(
  "200 for the exact name %j and no other",
  async (name) => {
    gateway.addRoom("a-room");
    gateway.addRoom(name.replaceAll(/%2f/gi, "/"));
    const answer = await get({}, name);
    expect(answer).toMatchObject({ status: 200, json: { name: name.replaceAll(/%2f/gi, "/") } });
  },
);

test.each(["nobody", "a-roo", "A-ROOM", "a-room ", "x".repeat(300), "%"])(
  "404 room-not-found without a body for %j",
  async (name) => {
    gateway.addRoom("a-room");
    expect(await get({}, name)).toMatchObject({ status: 404, code: "room-not-found", text: "" });
    expect(gateway.log.join("\n")).toContain("room-not-found");
  },
);

test("500 with a fixed text for an unexpected error, whose cause is in the log alone", async () => {
  const conferences = { ...gateway.dependencies().conferences, findByName: programmingError };
  const needs = { ...gateway.dependencies(), conferences };
  const answer = await gateway.call(getRoom, { ...sent, headers: gateway.asApplication() }, needs);
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
  expect(gateway.log.join("\n")).toContain("a programming error");
});

testBearerRefusals(() => gateway, getRoom, sent);
testPlatformFaults({
  gateway: () => gateway,
  definition: getRoom,
  sent,
  headers: () => gateway.asApplication(),
});
