/** Finding a room by its name. */
import { expect, test } from "vitest";
import { findRoom } from "../../../src/lib/rooms/read.ts";

/** A platform that has a room of every name, and counts the calls. */
function createPlatform() {
  const asked: string[] = [];
  const findByName = async (name: string) => {
    asked.push(name);
    return { id: 1, name };
  };
  return { asked, findByName };
}

test.each(["x", "x".repeat(250), "☃".repeat(250), "😀".repeat(250)])(
  "A name of at most 250 characters is looked up: %s",
  async (name) => {
    expect(await findRoom(createPlatform(), name)).toEqual({ id: 1, name });
  },
);

test.each(["x".repeat(251), "x".repeat(20_000), "😀".repeat(251)])(
  "A longer name is not found, without a call of the platform",
  async (name) => {
    const platform = createPlatform();
    await expect(findRoom(platform, name)).rejects.toMatchObject({ code: "room-not-found" });
    expect(platform.asked).toEqual([]);
  },
);
