/** GET /room/{room_name}: every status it can return. */
import { expect, test } from "vitest";
import { getRoom } from "../../src/functions/get-room.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { failure } from "../support/failure-responses.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();

const get = async (query: Record<string, string> = {}, roomName = "a-room") =>
  gateway.call(getRoom, { roomName, query });

test("Returns 200 with the constrained shape, which contains the host PIN", async () => {
  gateway.addRoom("a-room");
  const response = await get();
  expect(response).toMatchObject({ status: 200, json: { name: "a-room", pin: identities.hostPin } });
  expect(response.json).not.toHaveProperty("participant_limit");
  expect(response.headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
});

test("Returns 200 with the full shape: every field, and the description without the marker", async () => {
  gateway.addRoom("a-room");
  const response = await get({ constrained_attributes: "false" });
  const json = { name: "a-room", description: "", pin: identities.hostPin, ivr_theme: null };
  expect(response).toMatchObject({ status: 200, json });
  expect(response.json).toHaveProperty("participant_limit");
});

test("Returns 404 room-not-found without a body for any other name", async () => {
  gateway.addRoom("a-room");
  for (const name of ["nobody", "a-roo", "A-ROOM", "a-room ", "x".repeat(300), "%"])
    expect([name, await get({}, name)]).toMatchObject([name, failure("room-not-found")]);
});
