/** GET /public/room/{room_name}: every status it can answer. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import type { ContactCentreUser } from "../../local/simulators/contact-centre.ts";
import { getPublicRoom } from "../../src/functions/get-public-room.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";
import { asAgent } from "../support/credentials.ts";
import {
  type InProcessGateway,
  programmingError,
  roomSecrets,
  startInProcessGateway,
} from "../support/in-process-gateway.ts";
import { testPlatformFaults } from "../support/platform-faults.ts";
import { acceptedBooleans, refusedBooleans } from "../support/query-booleans.ts";

const user = (token: string, changes: Partial<ContactCentreUser> = {}): ContactCentreUser => ({
  token,
  id: "55555555-5555-4555-8555-555555555555",
  name: "An agent",
  divisionId: identities.divisionId,
  divisionName: "Video identification",
  state: "active",
  ...changes,
});

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
beforeEach(async () => gateway.reset());
afterAll(async () => gateway.stop());

beforeEach(() => {
  gateway.stack.contactCentre.setUsers([
    user(identities.agentToken),
    user("of-another-division", { divisionId: identities.otherDivisionId }),
    user("inactive", { state: "inactive" }),
    user("deleted", { state: "deleted" }),
  ]);
});

const sent = { roomName: "a-room" };
const get = async (query: Record<string, string> = {}, roomName = "a-room") =>
  gateway.call(getPublicRoom, { roomName, query, headers: asAgent });
const getAs = async (headers: Record<string, string>, needs?: Dependencies) =>
  gateway.call(getPublicRoom, { ...sent, headers }, needs);

test("200 the constrained shape without the host PIN", async () => {
  gateway.addRoom("a-room");
  const answer = await get();
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    id: expect.any(Number),
    name: "a-room",
    service_type: "conference",
    allow_guests: true,
    guest_pin: roomSecrets.guestPin,
    tag: roomSecrets.tag,
    aliases: [expect.objectContaining({ alias: "a-room" })],
  });
  expect(answer.text).not.toContain(identities.hostPin);
});

test("200 the full shape with a null host PIN", async () => {
  gateway.addRoom("a-room");
  const answer = await get({ constrained_attributes: "false" });
  expect(answer).toMatchObject({ status: 200, json: { name: "a-room", pin: null, description: "" } });
  expect(answer.text).not.toContain(identities.hostPin);
});

test.each(acceptedBooleans)("200 for constrained_attributes=%s, read as %s", async (text, isConstrained) => {
  gateway.addRoom("a-room");
  const answer = await get({ constrained_attributes: text });
  expect(answer.status).toBe(200);
  expect("participant_limit" in (answer.json as object)).toBe(!isConstrained);
});

test("200 for many requests of one agent with a single question to the contact centre", async () => {
  gateway.addRoom("a-room");
  const before = gateway.stack.contactCentre.callCount();
  const answers = await Promise.all(Array.from({ length: 20 }, async () => get()));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(gateway.stack.contactCentre.callCount() - before).toBe(1);
});

test.each<[string, Record<string, string>]>([
  ["no token", {}],
  ["an empty token", { "x-auth-token": "" }],
  ["an unknown token", { "x-auth-token": "nobody" }],
  ["a deleted user's token", { "x-auth-token": "deleted" }],
  ["the token in another header", { authorization: `Bearer ${identities.agentToken}` }],
])("401 for %s", async (_, headers) => {
  gateway.addRoom("a-room");
  const answer = await getAs(headers);
  expect(answer).toMatchObject({
    status: 401,
    code: "unauthenticated",
    json: { detail: "Not authenticated" },
  });
  expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="vmr-gateway"');
});

test.each([
  ["of impossible length", "x".repeat(4097)],
  ["with a space", "a b"],
  ["with other characters", "tökén"],
  ["with its scheme", `Bearer ${identities.agentToken}`],
])("401 for a token %s, without asking the contact centre", async (_, token) => {
  const before = gateway.stack.contactCentre.callCount();
  const latin1 = Buffer.from(token, "utf8").toString("latin1");
  expect(await getAs({ "x-auth-token": latin1 })).toMatchObject({ status: 401, code: "unauthenticated" });
  expect(gateway.stack.contactCentre.callCount()).toBe(before);
});

test("401 before the query and the room are looked at", async () => {
  const query = { constrained_attributes: "maybe" };
  expect(await gateway.call(getPublicRoom, { roomName: "nobody", query })).toMatchObject({
    status: 401,
    code: "unauthenticated",
  });
});

test.each(["of-another-division", "inactive"])("403 for a user %s", async (token) => {
  gateway.addRoom("a-room");
  expect(await getAs({ "x-auth-token": token })).toMatchObject({
    status: 403,
    code: "forbidden",
    json: { detail: "Not allowed" },
  });
});

test("404 without a body for a name that the platform does not know", async () => {
  expect(await get({}, "nobody")).toMatchObject({ status: 404, code: "room-not-found", text: "" });
  expect(await get({}, "x".repeat(300))).toMatchObject({ status: 404, code: "room-not-found", text: "" });
});

test.each(refusedBooleans)("422 bool_parsing for constrained_attributes=%j", async (text) => {
  const { status, json } = await get({ constrained_attributes: text });
  expect(status).toBe(422);
  expect(json).toMatchObject({
    detail: [{ type: "bool_parsing", loc: ["query", "constrained_attributes"] }],
  });
});

test.each([500, 503, 408])("503 when the contact centre answers %i", async (status) => {
  gateway.stack.contactCentre.failNext({ status });
  const answer = await getAs(asAgent);
  expect(answer).toMatchObject({
    status: 503,
    code: "contact-centre-unavailable",
    json: { detail: "The token cannot be checked at the moment" },
  });
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(gateway.log.join("\n")).toContain("contact-centre-unavailable");
});

test("503 when the contact centre throttles, with the time that it asked for", async () => {
  gateway.stack.contactCentre.failNext({ status: 429, retryAfterSeconds: 23 });
  const answer = await getAs(asAgent);
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("23");
});

test("503 while the contact centre cannot be reached", async () => {
  const needs = gateway.connect({ CONTACT_CENTRE_API_URL: "http://127.0.0.1:1" });
  expect(await getAs(asAgent, needs)).toMatchObject({ status: 503 });
});

test("503 when the contact centre does not answer in time", async () => {
  gateway.stack.contactCentre.setLatency(20_000);
  expect(await getAs(asAgent)).toMatchObject({ status: 503 });
});

test("500 with a fixed text for an unexpected error", async () => {
  const conferences = { ...gateway.dependencies().conferences, findByName: programmingError };
  const answer = await getAs(asAgent, { ...gateway.dependencies(), conferences });
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});

testPlatformFaults({ gateway: () => gateway, definition: getPublicRoom, sent, headers: () => asAgent });
