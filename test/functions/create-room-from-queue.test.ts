/** POST /room/create: its success. */
import { expect, test } from "vitest";
import { guestPin, hostPin, usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");

// The second is the legacy path.
test.each(["createRoomFromQueue", "createRoom"])(
  "`%s` returns 200 with a pooled room's name, guest PIN, tag and alias, and without the host PIN",
  async (name) => {
    await world.addPooled("a-room");
    const tag = "https://verify.example.com/sessions/8d1f";
    const response = await world.call(name, { query: { uuiData: `${hex(tag)};encoding=hex` } });
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({
      name: "a-room",
      guest_pin: guestPin,
      tag,
      aliases: [{ alias: "a-room" }],
    });
    expect(response.text).not.toContain(hostPin);
    expect(world.room("a-room")).toMatchObject({ tag });
  },
);
