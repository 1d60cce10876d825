/** GET /public/room/{room_name}: every status it can return. */
import { beforeEach, expect, test } from "vitest";
import { getPublicRoom } from "../../src/functions/get-public-room.ts";
import type { ContactCentreUser } from "../../tools/simulators/contact-centre.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { failure } from "../support/failure-responses.ts";
import { roomSecrets, useInProcessGateway } from "../support/in-process-gateway.ts";

const user = (token: string, changes: Partial<ContactCentreUser> = {}): ContactCentreUser => ({
  token,
  id: "55555555-5555-4555-8555-555555555555",
  name: "An agent",
  divisionId: identities.divisionId,
  divisionName: "Video identification",
  state: "active",
  ...changes,
});

const sent = { roomName: "a-room" };
const gateway = useInProcessGateway();
beforeEach(() => {
  gateway.stack.contactCentre.setUsers([
    user(identities.agentToken),
    user("of-another-division", { divisionId: identities.otherDivisionId }),
    user("inactive", { state: "inactive" }),
  ]);
});

const get = async (query: Record<string, string> = {}, roomName = "a-room") =>
  gateway.call(getPublicRoom, { roomName, query });
const getAs = async (headers: Record<string, string>) =>
  gateway.callAsGiven(getPublicRoom, { ...sent, headers });

test.each([
  ["constrained shape", { name: "a-room", guest_pin: roomSecrets.guestPin }, {}],
  ["full shape", { name: "a-room", pin: null, description: "" }, { constrained_attributes: "false" }],
])("Returns 200 with the %s and without the host PIN", async (_, json, query) => {
  gateway.addRoom("a-room");
  const response = await get(query);
  expect(response).toMatchObject({ status: 200, json });
  expect(response.text).not.toContain(identities.hostPin);
});

test("Returns 401 before it validates the query and looks up the room", async () => {
  const query = { constrained_attributes: "maybe" };
  const challenge = { "www-authenticate": 'x-auth-token realm="vmr-gateway"' };
  for (const headers of [
    {},
    { "x-auth-token": "nobody" },
    { authorization: `Bearer ${identities.agentToken}` },
  ])
    expect(await gateway.callAsGiven(getPublicRoom, { roomName: "nobody", query, headers })).toMatchObject(
      failure("unauthenticated", challenge),
    );
});

test.each(["of-another-division", "inactive"])("Returns 403 for a user %s", async (token) => {
  gateway.addRoom("a-room");
  expect(await getAs({ "x-auth-token": token })).toMatchObject(failure("forbidden"));
});

test("Returns 404 without a body for a name that the platform does not know", async () => {
  expect(await get({}, "nobody")).toMatchObject(failure("room-not-found"));
  expect(await get({}, "x".repeat(300))).toMatchObject(failure("room-not-found"));
});
