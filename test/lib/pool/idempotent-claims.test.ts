/** Claims with an idempotency key: concurrent repeats, lost writes, other tags, expiry and deleted rooms. */
import { beforeEach, describe, expect, test } from "vitest";
import { GatewayError } from "../../../src/lib/errors.ts";
import { decodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import { createIdempotentClaims } from "../../../src/lib/pool/idempotent-claims.ts";
import type { CreateRecordStore } from "../../../src/lib/ports.ts";
import {
  createMemoryRecordStore,
  type MemoryRecordStore,
} from "../../../tools/simulators/memory/record-store.ts";
import { usePoolWorld } from "../../support/pool-world.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const tag = "https://verification.example.com/session/1";
const key = { application: "11111111-2222-4333-8444-555555555555", key: "order-1" };

const world = usePoolWorld();
let records: MemoryRecordStore;
beforeEach(async () => {
  records = createMemoryRecordStore();
  for (const name of ["room-a", "room-b", "room-c"]) await world.addPooled(name);
});

/** Each call is a claim of another instance: the instances share storage and platform only. */
async function claim(options: { key?: typeof key; tag?: string; records?: CreateRecordStore } = {}) {
  const claims = world.createClaims();
  const idempotent = createIdempotentClaims({ ...world, claims, records: options.records ?? records });
  return idempotent.claim(options.key ?? key, options.tag ?? tag, world.log);
}

test("a retry gets the same room with the same PIN and tag, and takes nothing from the pool", async () => {
  const first = await claim();
  const second = await claim();

  expect(second).toMatchObject({ name: first.name, guest_pin: first["guest_pin"], tag });
  expect(world.log.fieldsOf("create-repeated")).toEqual({ room: first.name });
  expect(world.pool.texts()).toEqual(["room-b", "room-c"]);
});

test("another key and another application get another room each", async () => {
  const rooms = [
    await claim(),
    await claim({ key: { ...key, key: "order-2" } }),
    await claim({ key: { ...key, application: "66666666-2222-4333-8444-555555555555" } }),
  ];
  expect(new Set(rooms.map(({ name }) => name)).size).toBe(3);
});

test("concurrent retries on several instances get one room, and the other rooms are queued for deletion", async () => {
  const rooms = await Promise.all([claim(), claim(), claim()]);
  const names = new Set(rooms.map(({ name }) => name));

  expect(names.size).toBe(1);
  expect([...world.deletionNames(), ...names].toSorted()).toEqual(["room-a", "room-b", "room-c"]);
  const [message = ""] = world.deletion.texts();
  const { room, reason } = decodeRoomMessage(message);
  expect(reason).toBe("create-repeat-lost");
  expect(world.log.fieldsOf("create-repeat-lost")).toEqual({ room, winner: rooms[0]?.name });
});

test("another uuiData with the same key is rejected, and no room is taken", async () => {
  await claim();
  await expect(claim({ tag: `${tag}0` })).rejects.toMatchObject({ code: "key-reused" });
  expect(world.pool.texts()).toEqual(["room-b", "room-c"]);
});

test("a retry fails with room-not-found after the room was deleted", async () => {
  const { id } = await claim();
  await world.conferences.delete(id);
  await expect(claim()).rejects.toMatchObject({ code: "room-not-found" });
});

test("an empty pool leaves no record", async () => {
  await world.pool.clear();
  await expect(claim()).rejects.toMatchObject({ code: "pool-exhausted" });
  expect(records.contents()).toEqual([]);
});

test("a key gives a new room after 24 hours, which its retries get too", async () => {
  const first = await claim();
  world.clock.advance(24 * 3600 - 1);
  expect((await claim()).name).toBe(first.name);
  world.clock.advance(1);
  const second = await claim();

  expect(second.name).not.toBe(first.name);
  expect((await claim()).name).toBe(second.name);
});

test("a record holds neither PIN nor tag nor key", async () => {
  const room = await claim();
  const text = JSON.stringify(records.contents());
  for (const secret of [tag, String(room["guest_pin"]), key.key, key.application])
    expect(text).not.toContain(secret);
});

describe("a store that fails", () => {
  const unavailable = async () => {
    throw new GatewayError("storage-unavailable");
  };

  test("takes no room if it fails before the claim", async () => {
    await expect(claim({ records: { ...records, read: unavailable } })).rejects.toMatchObject({
      code: "storage-unavailable",
    });
    expect(world.pool.texts()).toHaveLength(3);
  });

  test("gives the retry the same room if the write was carried out", async () => {
    const losing: CreateRecordStore = {
      ...records,
      write: async (...parameters) => {
        await records.write(...parameters);
        return unavailable();
      },
    };
    await expect(claim({ records: losing })).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(world.deletionNames()).toEqual([]);
    expect((await claim()).name).toBe("room-a");
  });

  test("gives the retry another room if the write was not carried out, and never hands out the first again", async () => {
    await expect(claim({ records: { ...records, write: unavailable } })).rejects.toMatchObject({
      code: "storage-unavailable",
    });
    expect(world.log.fieldsOf("create-record-unknown")).toEqual({ room: "room-a" });
    expect((await claim()).name).toBe("room-b");
    expect(world.deletionNames()).toEqual([]);
  });

  test("has the room queued for deletion if it refuses a write without having a record", async () => {
    await expect(claim({ records: { ...records, write: async () => false } })).rejects.toMatchObject({
      code: "claim-failed",
      details: { retryAfterSeconds: 1 },
    });
    expect(world.deletionNames()).toEqual(["room-a"]);
  });

  test("leaves the room to the caller if it reports the caller's own write, sent twice, as a lost race", async () => {
    const repeating: CreateRecordStore = {
      ...records,
      write: async (...parameters) => {
        await records.write(...parameters);
        return records.write(...parameters);
      },
    };
    expect((await claim({ records: repeating })).name).toBe("room-a");
    expect(world.deletionNames()).toEqual([]);
  });
});

describe("Concurrent requests with one key on one instance", () => {
  const newInstance = () => createIdempotentClaims({ ...world, claims: world.createClaims(), records });

  test("take one room, which all of them get, each under its own correlation ID", async () => {
    const instance = newInstance();
    const logs = Array.from({ length: 10 }, () => createRecordingLog());
    const rooms = await Promise.all(logs.map(async (log) => instance.claim(key, tag, log)));

    expect(new Set(rooms.map(({ name }) => name)).size).toBe(1);
    expect(world.pool.texts()).toHaveLength(2);
    expect(world.deletionNames()).toEqual([]);
    expect(logs.map((log) => log.events().at(-1))).toEqual([
      "room-claimed",
      ...Array(9).fill("create-repeated"),
    ]);
    expect(logs[1]?.fieldsOf("create-repeated")).toEqual({ room: rooms[0]?.name });
  });

  test("all fail with the error of the first, and a later one tries again", async () => {
    const instance = newInstance();
    world.pool.strikeNext("receive", { failure: "unknown" });
    const results = await Promise.allSettled(
      Array.from({ length: 3 }, async () => instance.claim(key, tag, world.log)),
    );
    for (const result of results) expect(result).toMatchObject({ reason: { code: "storage-unavailable" } });
    expect(world.pool.calls.filter((call) => call === "receive")).toHaveLength(1);
    expect(await instance.claim(key, tag, world.log)).toMatchObject({ name: "room-a" });
  });

  test("do not fail with the error of another request if their tags differ", async () => {
    const instance = newInstance();
    world.pool.strikeNext("receive", { failure: "unknown" });
    const [first, other] = await Promise.allSettled([
      instance.claim(key, tag, world.log),
      instance.claim(key, `${tag}/other`, world.log),
    ]);
    expect(first).toMatchObject({ reason: { code: "storage-unavailable" } });
    expect(other).toMatchObject({ value: { tag: `${tag}/other` } });
  });

  test("wait for each other and are rejected by the record if their tags differ", async () => {
    const instance = newInstance();
    const [first, other] = await Promise.allSettled([
      instance.claim(key, tag, world.log),
      instance.claim(key, `${tag}/other`, world.log),
    ]);
    expect(first).toMatchObject({ status: "fulfilled" });
    expect(other).toMatchObject({ reason: { code: "key-reused" } });
    expect(world.pool.texts()).toHaveLength(2);
  });
});
