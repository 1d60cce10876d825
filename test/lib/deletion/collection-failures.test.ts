/**
 * Garbage collection while the platform or the queue fails: no message is lost, and other rooms are still processed.
 */
import { describe, expect, test } from "vitest";
import { decodeRoomMessage, encodeRoomMessage, loggableName } from "../../../src/lib/ownership/room.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import {
  type PlatformFaultClass,
  platformFaultClasses,
  platformFaults,
} from "../../support/platform-faults.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const invisibleSeconds = () =>
  world.deletion.contents().map(({ visibleAt }) => (visibleAt - world.clock.now()) / 1000);
const leftBehind = () => [...world.roomNames(), ...world.deletion.texts()];
const content = { room: "room-a", queuedBy: "gateway", claimId: "claim-1", reason: "claim-lost" } as const;

describe("Garbage collection if the platform fails", () => {
  test("postpones a room whose deletion gets 404 by one more run each time", async () => {
    await world.addEnded("room-a");
    world.platform.addFault({ kind: "status", status: 404, method: "DELETE", count: 2 });
    const delays: number[] = [];
    for (const seconds of [600, 270]) {
      await world.collectGarbageAfter(seconds);
      delays.push(...invisibleSeconds());
    }
    expect(delays).toEqual([270, 870]);
    expect(world.roomNames()).toEqual(["room-a"]);
    expect(world.deletion.texts().map(decodeRoomMessage)).toEqual([{ room: "room-a", failures: 2 }]);
    expect(world.log.fieldsOf("deletion-skipped")).toEqual({
      room: loggableName("room-a"),
      reason: "vanished",
    });
    await world.collectGarbageAfter(870);
    expect(leftBehind()).toEqual([]);
  });

  test("postpones all messages of a room together, whatever each of them says", async () => {
    await world.addEnded("room-a");
    await world.deletion.put(encodeRoomMessage({ ...content, operator: "operator-1", failures: 2 }));
    world.platform.addFault({ kind: "status", status: 409, method: "DELETE", count: 1 });
    await expect(world.collectGarbageAfter(600)).rejects.toThrow(AggregateError);
    expect(world.deletion.texts().map(decodeRoomMessage)).toEqual([
      { room: "room-a", failures: 3 },
      { ...content, operator: "operator-1", failures: 3 },
    ]);
    expect(invisibleSeconds()).toEqual([1470, 1470]);
  });

  // Each delay ends before the metrics run between two runs, whose row then shows the message's age to the alert.
  const toNextRun = [270, 270, 270, 270];
  const byOneMoreRunEach = [270, 870, 1470, 2070];
  const delaysAfter: Readonly<Record<PlatformFaultClass, number[]>> = {
    "platform-rejected": byOneMoreRunEach,
    "platform-timeout": byOneMoreRunEach,
    "platform-login-refused": toNextRun,
    "platform-unavailable": toNextRun,
    throttled: toNextRun,
    "not-from-platform": toNextRun,
  };
  type Row = [PlatformFaultClass, number, number[]];
  test.each<Row>([
    ...platformFaultClasses.map((fault): Row => [fault, 0, delaysAfter[fault]]),
    // By six hours at most.
    ["platform-rejected", 34, [20_670, 21_270, 21_270, 21_270]],
  ])("postpones a room whose deletion fails as `%s`, after %i failures before", async (...given) => {
    const [fault, failures, expected] = given;
    await world.addEnded("room-a");
    await world.deletion.clear();
    await world.deletion.put(encodeRoomMessage({ ...content, failures }));
    world.platform.addFault({ ...platformFaults[fault], method: "DELETE" });
    const delays: number[] = [];
    for (let run = 1; run <= 4; run++) {
      world.clock.advance(delays.at(-1) ?? 600);
      const startedAt = world.clock.now();
      await expect(world.collectGarbageAfter(0)).rejects.toThrow(AggregateError);
      expect(world.deletion.texts().map(decodeRoomMessage)).toEqual([
        { ...content, failures: expected === toNextRun ? failures : Math.min(failures + run, 36) },
      ]);
      // Retries take some time, which does not count.
      delays.push(...world.deletion.contents().map(({ visibleAt }) => (visibleAt - startedAt) / 1000));
    }
    expect(delays.map(Math.ceil)).toEqual(expected);

    world.platform.clearFaults();
    await world.collectGarbageAfter(21_600);
    expect(leftBehind()).toEqual([]);
  });

  test("does not take a connection that does not open for the room's own failure", async () => {
    await world.addEnded("room-a");
    const notOpened = new PlatformError({ outcome: "not-sent", code: "platform-timeout", message: "DELETE" });
    const conferences = { ...world.conferences, delete: async () => Promise.reject(notOpened) };
    await expect(world.collectGarbageAfter(600, { conferences })).rejects.toThrow(AggregateError);
    expect([world.deletion.texts(), invisibleSeconds()]).toEqual([["room-a"], [270]]);
  });

  test("leaves messages to a lease that ends before the next run if they cannot be postponed either", async () => {
    await world.addEnded("room-a");
    world.platform.addFault({ kind: "status", status: 503, method: "GET" });
    world.deletion.strikeNext("setInvisible", { failure: "unknown" });

    await expect(world.collectGarbageAfter(600)).rejects.toThrow(AggregateError);
    expect(invisibleSeconds()[0]).toBeLessThanOrEqual(540);
    world.platform.clearFaults();
    await world.collectGarbageAfter(540);
    expect(leftBehind()).toEqual([]);
  });
});

describe("Garbage collection if the deletion queue fails", () => {
  test("deletes no room after a lost receive, which may have leased a younger message about it", async () => {
    for (let room = 0; room < 32; room++) await world.addEnded(`room-${room}`);
    world.clock.advance(595);
    await world.deletion.put("room-0");
    world.deletion.strikeNext("receive", {});
    world.deletion.strikeNext("receive", { failure: "unknown", when: "after" });
    await expect(world.collectGarbageAfter(5, { maxMessages: 40 })).rejects.toThrow("receive");
    expect(world.roomNames()).toContain("room-0");
  });

  test("fails and logs the room if the message of a deleted room cannot be deleted, and deletes it in the next run", async () => {
    await world.addEnded("room-a");
    for (let call = 0; call < 2; call++) world.deletion.strikeNext("delete", { failure: "unknown" });

    await expect(world.collectGarbageAfter(600)).rejects.toThrow(AggregateError);
    expect(world.roomNames()).toEqual([]);
    expect(world.log.fieldsOf("room-deleted")).toEqual({ room: loggableName("room-a") });
    expect(world.log.fieldsOf("deletion-failed")).toEqual({ room: loggableName("room-a"), dequeueCount: 1 });
    expect([world.deletion.texts(), invisibleSeconds()]).toEqual([["room-a"], [270]]);
    await world.collectGarbageAfter(600);
    expect(world.deletion.contents()).toEqual([]);
  });

  test("tries again after 270 s, however often, if a young message could not be made invisible", async () => {
    await world.addEnded("room-a");
    for (let run = 0; run < 2; run++) {
      world.deletion.strikeNext("setInvisible", { failure: "unknown" });
      await expect(world.collectGarbageAfter(run === 0 ? 60 : 270)).rejects.toThrow(AggregateError);
      expect([world.deletion.texts(), invisibleSeconds()]).toEqual([["room-a"], [270]]);
    }
    await world.collectGarbageAfter(270);
    expect(leftBehind()).toEqual([]);
  });

  test("succeeds if another run has the message of a deleted room by then", async () => {
    await world.addEnded("room-a");
    world.deletion.strikeNext("delete", { failure: "receipt-stale" });
    await world.collectGarbageAfter(600);
    expect(leftBehind()).toEqual(["room-a"]);
  });
});
