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

test("A retry gets the same room with the same PIN and tag, and other keys and applications another one", async () => {
  const first = await claim();
  const second = await claim();

  expect(second).toMatchObject({ name: "room-a", guest_pin: first["guest_pin"], tag });
  expect(world.log.fieldsOf("create-repeated")).toEqual({ room: "room-a" });
  const text = JSON.stringify(records.contents());
  for (const secret of [tag, String(first["guest_pin"]), key.key, key.application])
    expect(text).not.toContain(secret);

  expect((await claim({ key: { ...key, key: "order-2" } })).name).toBe("room-b");
  const application = "66666666-2222-4333-8444-555555555555";
  expect((await claim({ key: { ...key, application } })).name).toBe("room-c");
  // The hash of one tag differs, so that it can be compared neither with another record nor with a list of tags.
  expect(new Set(records.contents().map(({ tagHash }) => tagHash)).size).toBe(3);
});

test("A key with another uuiData is rejected, and so is one whose room was deleted; neither takes a room", async () => {
  const { id } = await claim();
  await expect(claim({ tag: `${tag}0` })).rejects.toMatchObject({ code: "key-reused" });
  await world.conferences.delete(id);
  await expect(claim()).rejects.toMatchObject({ code: "room-not-found" });
  expect(world.pool.texts()).toEqual(["room-b", "room-c"]);
});

test("Of two instances that get one key with different uuiData at once, the later one rejects it and gives its room up", async () => {
  const outcomes = await Promise.allSettled([claim(), claim({ tag: `${tag}0` })]);
  expect(outcomes).toMatchObject([{ value: { name: "room-a", tag } }, { reason: { code: "key-reused" } }]);
  expect(world.deletionNames()).toEqual(["room-b"]);
});

test("A key gives a new room after 24 hours, which its retries get too", async () => {
  const first = await claim();
  world.clock.advance(24 * 3600 - 1);
  expect((await claim()).name).toBe(first.name);
  world.clock.advance(1);
  const second = await claim();

  expect(second.name).not.toBe(first.name);
  expect((await claim()).name).toBe(second.name);
});

describe("With a store that fails, no room is handed out to two callers", () => {
  type Write = CreateRecordStore["write"];
  const unavailable = async () => Promise.reject(new GatewayError("storage-unavailable"));
  const written: Write = async (...input) => records.write(...input);
  const withoutResponse: Write = async (...input) => (await written(...input)) ?? unavailable();
  const overtaken: Write = async (id, record, replaced) =>
    (await written(id, { ...record, room: "room-b" })) ?? written(id, record, replaced);
  const sentTwice: Write = async (...input) => (await written(...input)) ?? written(...input);
  const refusal = new Error("AuthorizationPermissionMismatch");
  const failed = { code: "storage-unavailable" };
  const unknown = "create-record-unknown";

  interface Failure {
    readonly given: string;
    readonly store: Partial<CreateRecordStore>;
    readonly outcome: object;
    readonly lastEvent?: string;
    readonly roomOfRetry: string;
    readonly deleted?: string[];
  }
  test.each<Failure>([
    { given: "cannot be read", store: { read: unavailable }, outcome: failed, roomOfRetry: "room-a" },
    {
      given: "cannot be written",
      store: { write: unavailable },
      outcome: failed,
      lastEvent: unknown,
      roomOfRetry: "room-b",
    },
    {
      given: "writes without a response",
      store: { write: withoutResponse },
      outcome: failed,
      lastEvent: unknown,
      roomOfRetry: "room-a",
    },
    {
      given: "refuses to write, which the log says",
      store: { write: async () => refusal },
      outcome: { ...failed, details: { retryAfterSeconds: 5 }, cause: refusal },
      lastEvent: "create-repeat-lost",
      roomOfRetry: "room-b",
      deleted: ["room-a"],
    },
    {
      given: "has the record of another instance by then",
      store: { write: overtaken },
      outcome: { name: "room-b" },
      lastEvent: "create-repeat-lost",
      roomOfRetry: "room-b",
      deleted: ["room-a"],
    },
    {
      given: "gets a write twice",
      store: { write: sentTwice },
      outcome: { name: "room-a" },
      lastEvent: "room-claimed",
      roomOfRetry: "room-a",
    },
  ])("if it $given", async ({ store, outcome, lastEvent, roomOfRetry, deleted = [] }) => {
    const claimId = world.pool.contents()[0]?.id;
    const first = await claim({ records: { ...records, ...store } }).catch((error: unknown) => error);
    expect(first).toMatchObject(outcome);
    expect(world.log.events().at(-1)).toBe(lastEvent);
    expect((await claim()).name).toBe(roomOfRetry);
    const content = { queuedBy: "gateway", claimId, reason: "create-repeat-lost" };
    const queued = deleted.map((room) => ({ room, ...content }));
    expect(world.deletion.texts().map(decodeRoomMessage)).toEqual(queued);
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
    const others = logs.slice(1).map((log) => log.fieldsOf("create-repeated"));
    expect(others).toEqual(Array(9).fill({ room: rooms[0]?.name }));
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

  test("look again after they waited for a failed one with another tag, so that only one of them takes a room", async () => {
    const instance = newInstance();
    world.pool.strikeNext("receive", { failure: "unknown" });
    const results = await Promise.allSettled(
      [tag, `${tag}/2`, `${tag}/2`, `${tag}/3`].map(async (each) => instance.claim(key, each, world.log)),
    );
    const room = { value: { name: "room-a", tag: `${tag}/2` } };
    const [failed, reused] = ["storage-unavailable", "key-reused"].map((code) => ({ reason: { code } }));
    expect(results).toMatchObject([failed, room, room, reused]);
    expect(world.pool.texts()).toHaveLength(2);
    expect(world.deletionNames()).toEqual([]);
  });
});
