/** Claims on a healthy platform: success, the empty pool, unusable rooms, and the commit. */
import { beforeEach, describe, expect, test } from "vitest";
import { parseMarker } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import type { QueueFault } from "../../../tools/simulators/memory/queue.ts";
import { formatMarker, otherGateway } from "../../support/markers.ts";
import {
  guestPin,
  hostPin,
  leaseSeconds,
  maxLevel,
  serviceTag,
  usePoolWorld,
} from "../../support/pool-world.ts";

const world = usePoolWorld();
const poolExhausted = { code: "pool-exhausted", status: 404, details: { retryAfterSeconds: 10 } };
const claimFailed = { code: "claim-failed", status: 503, details: { retryAfterSeconds: 1 } };
const topUp = { reason: "bulk", upTo: maxLevel };

describe("A claim of a pooled room", () => {
  test("returns the room with the tag, deletes its message and requests one replacement", async () => {
    await world.addPooled("room-a");
    const [message] = world.pool.contents();
    // The marker has the time at which the change is sent, not that at which it was queued.
    const update: Conferences["update"] = async (...input) => {
      world.clock.advance(3);
      return world.conferences.update(...input);
    };
    const room = await world.claim({ conferences: { ...world.conferences, update } });
    expect(room).toMatchObject({ name: "room-a", tag: serviceTag, guest_pin: guestPin });
    expect(world.room("room-a")?.tag).toBe(serviceTag);
    expect(parseMarker(world.room("room-a")?.description)).toEqual({
      gateway: world.gatewayName,
      state: "assigned",
      since: new Date(world.clock.now()).toISOString(),
      messageId: message?.id,
      fingerprint: roomFingerprint({}, hostPin),
    });
    expect(world.pool.contents()).toEqual([]);
    expect(world.requests()).toEqual([{ reason: "claimed" }]);
    expect(world.deletion.contents()).toEqual([]);
    expect(world.log.lines.map(({ event, fields }) => [event, fields])).toEqual([
      ["room-claimed", { room: "room-a" }],
    ]);
  });

  test("keeps the room's tag if the caller sends none", async () => {
    const tag = "https://verification.example.com/kept";
    await world.addPooled("room-a", { tag });

    expect((await world.claim({ serviceTag: undefined })).tag).toBe(tag);
    expect(world.room("room-a")?.tag).toBe(tag);
  });
});

test("Each claim on an empty pool fails with 404 and Retry-After, and requests one room up to the maximum", async () => {
  for (let claim = 1; claim <= 2; claim++) {
    await expect(world.claim()).rejects.toMatchObject(poolExhausted);
    expect(world.requests()).toEqual(Array(claim).fill(topUp));
    expect(world.log.events()).toEqual(Array(claim).fill("pool-empty"));
  }
});

describe("A claim that receives an unusable name", () => {
  const since = "2026-01-01T00:00:00.000Z";
  const assigned = { description: formatMarker({ state: "assigned", since, messageId: "other" }) };
  const ofOtherGateway = (state: "pooled" | "assigned") => ({
    description: formatMarker({ gateway: otherGateway, state, since, messageId: "m-1" }),
  });
  const silent = { aliases: [] };

  test.each<
    [string, string, Record<string, unknown> | undefined, { deleted?: string[]; requested?: number }]
  >([
    ["room-missing", "none", undefined, {}],
    ["other-gateway", "a pooled one", ofOtherGateway("pooled"), {}],
    // Even one that cannot be dialled, which the gateway would otherwise have deleted.
    ["other-gateway", "an assigned one without alias", { ...ofOtherGateway("assigned"), ...silent }, {}],
    ["duplicate-message", "an assigned one without alias", { ...assigned, ...silent }, { requested: 0 }],
    ["room-without-alias", "a pooled one without alias", silent, { deleted: ["room-a"] }],
    [
      "unmarked-room-without-alias",
      "an unmarked one without alias",
      { description: "theirs", ...silent },
      {},
    ],
  ])(
    "returns the next room after %s (its room: %s)",
    async (reason, _, fields, { deleted = [], requested = 1 }) => {
      const tag = "https://verification.example.com/theirs";
      if (fields) await world.addPooled("room-a", { ...fields, tag });
      else await world.pool.put("room-a");
      await world.addPooled("room-b");

      expect(await world.claim()).toMatchObject({ name: "room-b" });
      expect(world.room("room-a") ?? { tag }).toMatchObject({ ...fields, tag });
      expect(world.pool.texts()).toEqual([]);
      expect(world.deletionNames()).toEqual(deleted);
      expect(world.requests()).toEqual([...Array(requested).fill(topUp), { reason: "claimed" }]);
      const [event, said] =
        reason === "duplicate-message" ? [reason, { outcome: "deleted" }] : ["room-discarded", { reason }];
      expect(world.log.fieldsOf(event)).toEqual({ room: "room-a", ...said });
    },
  );

  test("fails if a second room disappears, and keeps all names", async () => {
    for (const name of ["room-a", "room-b", "room-c"]) await world.addPooled(name);
    world.platform.addFault({ kind: "status", status: 404, method: "PATCH" });

    await expect(world.claim()).rejects.toMatchObject(claimFailed);
    const seconds = world.pool.contents().map(({ visibleAt }) => (visibleAt - world.clock.now()) / 1000);
    expect(seconds).toEqual([20, 20, 0]);
    expect(world.platform.requests().byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"]).toBe(2);
  });

  test("fails with 503 and Retry-After after ten unusable names, and requests one room", async () => {
    for (let name = 0; name < 12; name++) await world.pool.put(`gone-${name}`);

    await expect(world.claim()).rejects.toMatchObject(claimFailed);
    expect(world.pool.texts()).toEqual(["gone-10", "gone-11"]);
    expect(world.requests()).toEqual([topUp]);
  });
});

describe("The commit of a claim", () => {
  beforeEach(async () => world.addPooled("room-a"));

  const unknown = { failure: "unknown" } as const;
  const responseLost = { failure: "unknown", when: "after" } as const;
  const stale = { failure: "receipt-stale" } as const;
  const cleared = { meanwhile: async () => world.pool.clear() };
  const nearLeaseEnd = { meanwhile: () => world.clock.advance(leaseSeconds - 5) };
  const slowReceive = { meanwhile: () => world.clock.advance(10) };
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
  };
  const slowly = { meanwhile: async () => turns(20) };

  interface Commit {
    readonly given: string;
    readonly faults: QueueFault[];
    readonly slow?: QueueFault;
    /** What became of the message if the room is not handed out. */
    readonly message?: "lost" | "gone" | "unknown";
    readonly isGivenUp?: true;
  }
  test.each<Commit>([
    { given: "its response is lost", faults: [responseLost] },
    {
      given: "its response is lost near the end of the lease",
      faults: [{ ...responseLost, ...nearLeaseEnd }],
    },
    // A room that another claim may have is left to it.
    { given: "another claim has the message", faults: [stale], message: "lost" },
    {
      given: "its response is lost and the lease is over, which counts from before the receive",
      faults: [{ ...responseLost, ...nearLeaseEnd }],
      slow: slowReceive,
      message: "lost",
    },
    { given: "the pool is cleared before", faults: [cleared], message: "gone", isGivenUp: true },
    { given: "neither try has an outcome", faults: [unknown, unknown], message: "unknown", isGivenUp: true },
    {
      given: "its response is lost and the second try has no outcome",
      faults: [responseLost, unknown],
      message: "unknown",
      isGivenUp: true,
    },
  ])(
    "hands out the room, or gives it up if nobody else can have it: $given",
    async ({ faults, slow, message, isGivenUp }) => {
      for (const fault of faults) world.pool.strikeNext("delete", fault);
      if (slow) world.pool.strikeNext("receive", slow);
      world.provisioning.strikeNext("delete", slowly);
      const outcome = await world.claim().catch((error: unknown) => error);
      expect(outcome).toMatchObject(message ? claimFailed : { name: "room-a" });
      expect(world.deletionNames()).toEqual(isGivenUp ? ["room-a"] : []);
      expect(world.requests()).toHaveLength(message ? 0 : 1);
      expect(world.log.fieldsOf("claim-lost")).toEqual(message && { room: "room-a", message });
    },
  );

  test("is sent together with the replacement, and neither runs after the response", async () => {
    let requestsAtCommit: readonly unknown[] = ["not read"];
    world.pool.strikeNext("delete", {
      meanwhile: async () => {
        await turns(1);
        requestsAtCommit = world.requests();
      },
    });
    await world.claim();
    expect(requestsAtCommit).toEqual([{ reason: "claimed" }]);

    await world.addPooled("room-b");
    world.provisioning.strikeNext("put", slowly);
    await world.claim();
    expect(world.requests()).toHaveLength(2);
  });

  test("is left out if what is to run before it fails, so that nobody gets the room", async () => {
    const beforeCommit = async () => Promise.reject(new Error("struck"));
    await expect(world.claim({ beforeCommit })).rejects.toThrow("struck");
    expect([world.pool.texts().length, world.requests()]).toEqual([1, []]);
  });
});
