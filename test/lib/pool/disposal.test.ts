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
import { leaseSeconds, usePoolQueues } from "../../support/pool-world.ts";

const queues = usePoolQueues();
beforeEach(async () => queues.pool.put("room-a"));

/** Receives the message `receives` times, and disposes of it after the last one. */
async function dispose(outcome: FailedOutcome, receives = 1): Promise<void> {
  for (let receive = 1; receive < receives; receive++) {
    await queues.pool.receive(1, leaseSeconds);
    queues.clock.advance(leaseSeconds);
  }
  const heldUntil = queues.clock.now() + leaseSeconds * 1000;
  const [message] = await queues.pool.receive(1, leaseSeconds);
  if (!message) throw new Error("the pool is empty");
  const claim = { startBefore: heldUntil, serviceTag: undefined, log: queues.log };
  await createDispose(queues)({ ...claim, message, heldUntil }, outcome);
}

const messageState = () => {
  const [message] = queues.pool.contents();
  if (!message) return "deleted";
  return message.visibleAt <= queues.clock.now() ? "visible" : "leased";
};

type Effects = readonly [message: ReturnType<typeof messageState>, deletions: number, requests: number];
const fewReceives: Record<FailedOutcome, Effects> = {
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
const manyReceives: Record<FailedOutcome, Effects> = {
  ...fewReceives,
  "find-refused": ["deleted", 1, 1],
  "assignment-refused": ["deleted", 1, 1],
};
const outcomes = Object.keys(disposals) as FailedOutcome[];
const effects = () => [messageState(), queues.deletion.texts().length, queues.requests().length];

describe("The disposal of a message", () => {
  test.each(outcomes)("has the listed effects at the fifth receive (%s)", async (outcome) => {
    await dispose(outcome, 5);
    expect(effects()).toEqual(fewReceives[outcome]);
  });

  test.each(outcomes)("has the listed effects at the sixth receive (%s)", async (outcome) => {
    await dispose(outcome, 6);
    expect(effects()).toEqual(manyReceives[outcome]);
  });

  test.each(outcomes)("does not throw if every queue fails (%s)", async (outcome) => {
    for (const operation of ["delete", "delete", "setInvisible"] as const)
      queues.pool.strikeNext(operation, { failure: "unknown" });
    queues.deletion.strikeNext("put", { failure: "unknown" });
    queues.provisioning.strikeNext("put", { failure: "unknown" });
    await expect(dispose(outcome, 6)).resolves.toBeUndefined();
  });
});

describe("The outcome of a failed call", () => {
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
  ])("follows from the failure %j", (failure, find, assignment) => {
    const error = new PlatformError(failure);
    expect([outcomeOfFailedFind(error), outcomeOfFailedAssignment(error)]).toEqual([find, assignment]);
  });

  test("is a failed look-up, or the error itself after a change, if the error is not a PlatformError", () => {
    const error = new TypeError("bug");
    expect(outcomeOfFailedFind(error)).toBe("find-failed");
    expect(() => outcomeOfFailedAssignment(error)).toThrow(error);
  });
});

describe("The disposal that discards a room", () => {
  test("deletes the message before it queues the room for deletion", async () => {
    let pooledMeanwhile: readonly string[] = ["not read"];
    queues.deletion.strikeNext("put", { meanwhile: () => void (pooledMeanwhile = queues.pool.texts()) });
    await dispose("unanswered-claim");

    expect(pooledMeanwhile).toEqual([]);
    expect(queues.deletion.texts()).toEqual(["room-a"]);
  });

  test("queues the room for deletion before it requests another", async () => {
    let queuedMeanwhile: readonly string[] = ["not read"];
    queues.provisioning.strikeNext("put", {
      meanwhile: () => void (queuedMeanwhile = queues.deletion.texts()),
    });
    await dispose("unanswered-claim");

    expect(queuedMeanwhile).toEqual(["room-a"]);
  });

  test.each(["receipt-stale", "message-gone"] as const)(
    "does nothing else if the delete of the message fails with %s",
    async (failure) => {
      queues.pool.strikeNext("delete", { failure });
      await dispose("assignment-unknown");

      expect([...queues.deletion.texts(), ...queues.provisioning.texts()]).toEqual([]);
      expect(queues.log.fieldsOf("room-discard-failed")).toEqual({
        room: "room-a",
        reason: "assignment-unknown",
        message: "lost",
      });
    },
  );

  test("logs a leak and requests another room if the deletion queue fails", async () => {
    queues.deletion.strikeNext("put", { failure: "unknown" });
    await dispose("unanswered-claim");

    expect(queues.log.fieldsOf("room-leaked")).toEqual({ room: "room-a" });
    expect(queues.requests()).toHaveLength(1);
  });
});
