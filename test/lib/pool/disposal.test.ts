/** What happens to a claim's message for each outcome, and in which order a room is discarded. */
import { beforeEach, describe, expect, test } from "vitest";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/platform-error.ts";
import {
  createDispose,
  disposals,
  type FailedOutcome,
  outcomeOfFailedAssignment,
  outcomeOfFailedFind,
} from "../../../src/lib/pool/disposal.ts";
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { createFaultyQueue } from "../../support/faulty-queue.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const leaseSeconds = 300;

function createWorld() {
  const clock = createManualClock();
  const newQueue = () => createFaultyQueue(createMemoryQueue(clock));
  const [pool, deletion, provisioning] = [newQueue(), newQueue(), newQueue()];
  const replenishment = createReplenishment({ pool, provisioning, maxRooms: 1 });
  const dispose = createDispose({ pool, deletion, replenishment, clock });
  return { clock, pool, deletion, provisioning, dispose, log: createRecordingLog() };
}

let world: ReturnType<typeof createWorld>;
beforeEach(async () => {
  world = createWorld();
  await world.pool.put("room-a");
});

/** Receives the message as often as `receives` says and disposes of it the last time. */
async function dispose(outcome: FailedOutcome, receives = 1): Promise<void> {
  for (let receive = 1; receive < receives; receive++) {
    await world.pool.receive(1, leaseSeconds);
    world.clock.advance(leaseSeconds);
  }
  const heldUntil = world.clock.now() + leaseSeconds * 1000;
  const [message] = await world.pool.receive(1, leaseSeconds);
  if (!message) throw new Error("the pool is empty");
  const claim = { startBefore: heldUntil, serviceTag: undefined, log: world.log };
  await world.dispose({ ...claim, message, heldUntil }, outcome);
}

const stateOfMessage = () => {
  const [message] = world.pool.contents();
  if (!message) return "deleted";
  return message.visibleAt <= world.clock.now() ? "visible" : "leased";
};

type Row = readonly [message: ReturnType<typeof stateOfMessage>, deletions: number, requests: number];
const fewReceives: Record<FailedOutcome, Row> = {
  "room-missing": ["deleted", 0, 1],
  "unanswered-claim": ["deleted", 1, 1],
  "duplicate-message": ["deleted", 0, 0],
  "find-failed": ["visible", 0, 0],
  "find-refused": ["leased", 0, 0],
  "assignment-not-sent": ["visible", 0, 0],
  "assignment-throttled": ["visible", 0, 0],
  "assignment-unauthorized": ["leased", 0, 0],
  "assignment-refused": ["leased", 0, 0],
  "assignment-unknown": ["deleted", 1, 1],
};
const manyReceives: Record<FailedOutcome, Row> = {
  ...fewReceives,
  "find-refused": ["deleted", 1, 1],
  "assignment-refused": ["deleted", 1, 1],
};
const outcomes = Object.keys(disposals) as FailedOutcome[];
const effects = () => [stateOfMessage(), world.deletion.texts().length, world.provisioning.texts().length];

describe("the table of disposals", () => {
  test.each(outcomes)("%s up to the fifth receive", async (outcome) => {
    await dispose(outcome, 5);
    expect(effects()).toEqual(fewReceives[outcome]);
  });

  test.each(outcomes)("%s at the sixth receive", async (outcome) => {
    await dispose(outcome, 6);
    expect(effects()).toEqual(manyReceives[outcome]);
  });

  test.each(outcomes)("%s does not throw if every queue fails", async (outcome) => {
    for (const method of ["delete", "setInvisible"] as const) {
      world.pool.strikeNext(method, { failure: "unknown" });
      world.pool.strikeNext(method, { failure: "unknown" });
    }
    world.deletion.strikeNext("put", { failure: "unknown" });
    world.provisioning.strikeNext("put", { failure: "unknown" });
    await expect(dispose(outcome, 6)).resolves.toBeUndefined();
  });
});

describe("the outcome of a failed call", () => {
  test.each<[PlatformFailure, FailedOutcome, FailedOutcome]>([
    [{ outcome: "not-sent", message: "refused" }, "find-failed", "assignment-not-sent"],
    [{ outcome: "unknown", message: "500", status: 500 }, "find-failed", "assignment-unknown"],
    [{ outcome: "unknown", message: "timeout", isTimeout: true }, "find-failed", "assignment-unknown"],
    [{ outcome: "refused", message: "429", status: 429 }, "find-failed", "assignment-throttled"],
    [{ outcome: "refused", message: "401", status: 401 }, "find-failed", "assignment-unauthorized"],
    [{ outcome: "refused", message: "403", status: 403 }, "find-failed", "assignment-unauthorized"],
    [{ outcome: "refused", message: "400", status: 400 }, "find-refused", "assignment-refused"],
    [{ outcome: "refused", message: "302", status: 302 }, "find-refused", "assignment-refused"],
    [{ outcome: "refused", message: "unreadable" }, "find-refused", "assignment-refused"],
  ])("%j", (failure, find, assignment) => {
    const error = new PlatformError(failure);
    expect([outcomeOfFailedFind(error), outcomeOfFailedAssignment(error)]).toEqual([find, assignment]);
  });

  test("an error that is not the platform's releases a look-up and is rethrown after a change", () => {
    const error = new TypeError("bug");
    expect(outcomeOfFailedFind(error)).toBe("find-failed");
    expect(() => outcomeOfFailedAssignment(error)).toThrow(error);
  });
});

describe("discarding a room", () => {
  test("deletes the message before it queues the room for deletion", async () => {
    let pooledAtThatTime: readonly string[] = ["not read"];
    world.deletion.strikeNext("put", { meanwhile: () => void (pooledAtThatTime = world.pool.texts()) });
    await dispose("unanswered-claim");

    expect(pooledAtThatTime).toEqual([]);
    expect(world.deletion.texts()).toEqual(["room-a"]);
  });

  test("queues the room for deletion before it requests another", async () => {
    let queuedAtThatTime: readonly string[] = ["not read"];
    world.provisioning.strikeNext("put", {
      meanwhile: () => void (queuedAtThatTime = world.deletion.texts()),
    });
    await dispose("unanswered-claim");

    expect(queuedAtThatTime).toEqual(["room-a"]);
  });

  test.each(["receipt-stale", "message-gone"] as const)(
    "does nothing else if the delete of the message fails as %s",
    async (failure) => {
      world.pool.strikeNext("delete", { failure });
      await dispose("assignment-unknown");

      expect([...world.deletion.texts(), ...world.provisioning.texts()]).toEqual([]);
      expect(world.log.fieldsOf("room-discard-failed")).toEqual({
        room: "room-a",
        reason: "assignment-unknown",
        message: "lost",
      });
    },
  );

  test("logs a leak and requests another room if the deletion queue fails", async () => {
    world.deletion.strikeNext("put", { failure: "unknown" });
    await dispose("unanswered-claim");

    expect(world.log.fieldsOf("room-leaked")).toEqual({ room: "room-a" });
    expect(world.provisioning.contents()).toHaveLength(1);
  });
});
