/** Finding a room by its name, and who sees its host PIN. */
import { expect, test } from "vitest";
import { findRoom } from "../../../src/lib/rooms/read.ts";
import { hostPin, usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

test.each([
  ["getRoom", hostPin],
  ["getPublicRoom", null],
])("%s returns a room with the host PIN %s", async (name, pin) => {
  world.addRoom("room-a");
  const request = { roomName: "room-a", query: { constrained_attributes: "false" } };
  expect(await world.call(name, request)).toMatchObject({ status: 200, json: { pin } });
});

test.each([
  ["x", true],
  ["☃".repeat(250), true],
  ["😀".repeat(250), true],
  ["x".repeat(251), false],
  ["😀".repeat(251), false],
])("The platform is asked for a name of at most 250 characters only: %s", async (sent, isAsked) => {
  let calls = 0;
  const findByName = async (name: string) => {
    calls += 1;
    return { id: 1, name };
  };
  const found = await findRoom({ findByName }, sent).catch((error: unknown) => error);
  expect(found).toMatchObject(isAsked ? { id: 1, name: sent } : { code: "room-not-found" });
  expect(calls).toBe(Number(isAsked));
});
