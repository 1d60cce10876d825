/** POST /room/create: every status it can return. */
import { expect, test } from "vitest";
import { failure } from "../support/failure-responses.ts";
import { guestPin, hostPin, maxRooms, usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const create = async (query: Record<string, string> = {}) => world.call("createRoomFromQueue", { query });

test("Returns 200 with a pooled room's name, guest PIN, tag and alias, and without the host PIN", async () => {
  await world.addPooled("a-room");
  const tag = "https://verify.example.com/sessions/8d1f";
  const response = await create({ uuiData: `${hex(tag)};encoding=hex` });
  expect(response.status).toBe(200);
  expect(response.json).toMatchObject({
    name: "a-room",
    guest_pin: guestPin,
    tag,
    aliases: [{ alias: "a-room" }],
  });
  expect(response.text).not.toContain(hostPin);
  expect(world.room("a-room")).toMatchObject({ tag });
});

test("Returns 404 pool-exhausted without a body if the pool is empty, with Retry-After and one request for a room", async () => {
  expect(await create()).toMatchObject(failure("pool-exhausted", { "retry-after": "10" }));
  expect(world.requests()).toEqual([{ reason: "bulk", upTo: maxRooms }]);
});

test("Returns the same room to a retry with the same Idempotency-Key, quoted or bare, also on the legacy path", async () => {
  for (const name of ["room-a", "room-b", "room-c"]) await world.addPooled(name);
  const createWith = async (key: string, name = "createRoomFromQueue") =>
    world.call(name, { query: { uuiData: hex("8d1f") }, headers: { "idempotency-key": key } });
  const first = await createWith("8e03978e");
  expect(first.status).toBe(200);
  for (const retry of [await createWith('"8e03978e"'), await createWith("8e03978e", "createRoom")])
    expect([retry.status, retry.json]).toEqual([200, first.json]);
  expect(world.pool.texts()).toHaveLength(2);
});
