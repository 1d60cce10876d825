/** GET /room/{room_name}: every status it can return. */
import { expect, test } from "vitest";
import { getRoom } from "../../src/functions/get-room.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { failure } from "../support/failure-responses.ts";
import { roomSecrets, useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();

const get = async (query: Record<string, string> = {}, roomName = "a-room") =>
  gateway.call(getRoom, { roomName, query });

test("Returns 200 with the constrained shape: only the fields needed to join the room", async () => {
  gateway.addRoom("a-room");
  const response = await get();
  expect(response).toMatchObject({ status: 200 });
  expect(response.json).toEqual({
    id: expect.any(Number),
    name: "a-room",
    service_type: "conference",
    allow_guests: true,
    pin: identities.hostPin,
    guest_pin: roomSecrets.guestPin,
    tag: roomSecrets.tag,
    aliases: [expect.objectContaining({ alias: "a-room" })],
  });
  expect(response.headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
});

test("Returns 200 with the full shape: every field, and the description without the marker", async () => {
  gateway.addRoom("a-room");
  const response = await get({ constrained_attributes: "false" });
  expect(response.status).toBe(200);
  expect(response.json).toMatchObject({
    name: "a-room",
    description: "",
    pin: identities.hostPin,
    ivr_theme: null,
  });
  expect(response.json).toHaveProperty("participant_limit");
});

test("Returns 404 room-not-found without a body for any other name", async () => {
  gateway.addRoom("a-room");
  for (const name of ["nobody", "a-roo", "A-ROOM", "a-room ", "x".repeat(300), "%"])
    expect([name, await get({}, name)]).toMatchObject([name, failure("room-not-found")]);
});
