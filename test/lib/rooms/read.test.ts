/** Finding a room by its name. */
import { expect, test } from "vitest";
import { findRoom } from "../../../src/lib/rooms/read.ts";

test.each([
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
