/** What happens to a claim's message for each outcome, and in which order a room is discarded. */
import { beforeEach, describe, expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import {
  createDispose,
  disposals,
  type FailedOutcome,
  outcomeOfFailedAssignment,
} from "../../../src/lib/pool/claim-failures.ts";
import { decodeQueuedName, encodeQueuedName } from "../../../src/lib/pool/room.ts";
import { leaseSeconds, usePoolQueues } from "../../support/pool-world.ts";

const queues = usePoolQueues();
beforeEach(async () => queues.pool.put("room-a"));

const marked = { id: 1, name: "room-a", description: "vmr-gateway pooled 2026-01-02T03:04:05.678Z" };

interface Disposed {
  /** How often the platform has refused this room before. */
  readonly refusals?: number;
  readonly row?: ConferenceRow;
}

/** Receives the message and disposes of it. */
async function dispose(outcome: FailedOutcome, { refusals, row = marked }: Disposed = {}): Promise<void> {
  const heldUntil = queues.clock.now() + leaseSeconds * 1000;
  const [message] = await queues.pool.receive(1, leaseSeconds);
  if (!message) throw new Error("the pool is empty");
  const claim = { startBefore: heldUntil, serviceTag: undefined, log: queues.log, leaseSeconds };
  const name = { ...decodeQueuedName(message.text), refusals };
  await createDispose(queues)({ ...claim, message, name, heldUntil }, outcome, row);
}

const messageState = () => {
  const [message] = queues.pool.contents();
  if (!message) return "deleted";
  return message.visibleAt <= queues.clock.now() ? "visible" : "leased";
};

type Effects = readonly [message: ReturnType<typeof messageState>, deletions: number, requests: number];
const firstTime: Record<FailedOutcome, Effects> = {
  "room-missing": ["deleted", 0, 1],
  "unmarked-room-without-alias": ["deleted", 0, 1],
  "room-without-alias": ["deleted", 1, 1],
  "unanswered-claim": ["deleted", 1, 1],
  "duplicate-message": ["deleted", 0, 0],
  "find-failed": ["visible", 0, 0],
  "assignment-not-sent": ["visible", 0, 0],
  "assignment-refused-for-all": ["visible", 0, 0],
  "tag-refused": ["visible", 0, 0],
  "room-refused": ["leased", 0, 0],
  "assignment-unknown": ["deleted", 1, 1],
};
const fifthRefusal: Record<FailedOutcome, Effects> = { ...firstTime, "room-refused": ["deleted", 1, 1] };
const outcomes = Object.keys(disposals) as FailedOutcome[];
const effects = () => [messageState(), queues.deletion.texts().length, queues.requests().length];

describe("The disposal of a message", () => {
  test.each(outcomes)("has the listed effects without an earlier refusal (%s)", async (outcome) => {
    await dispose(outcome);
    expect(effects()).toEqual(firstTime[outcome]);
  });

  test.each(outcomes)("has the listed effects after four refusals (%s)", async (outcome) => {
    await dispose(outcome, { refusals: 4 });
    expect(effects()).toEqual(fifthRefusal[outcome]);
  });

  test("counts refusals in the text of the message, and no release adds to them", async () => {
    for (let receive = 1; receive <= 7; receive++) await dispose("find-failed");
    await dispose("room-refused");
    queues.clock.advance(leaseSeconds);
    await dispose("room-refused", { refusals: 1 });

    expect(queues.pool.texts()).toEqual([encodeQueuedName({ room: "room-a", refusals: 2 })]);
  });

  test.each(outcomes)("does not throw if every queue fails (%s)", async (outcome) => {
    for (const operation of ["delete", "delete", "setInvisible"] as const)
      queues.pool.strikeNext(operation, { failure: "unknown" });
    queues.deletion.strikeNext("put", { failure: "unknown" });
    queues.provisioning.strikeNext("put", { failure: "unknown" });
    await expect(dispose(outcome, { refusals: 4 })).resolves.toBeUndefined();
  });
});

describe("The outcome of a failed change", () => {
  const refused = (status: number, body?: unknown): PlatformFailure => ({
    outcome: "refused",
    message: String(status),
    status,
    body,
  });

  test.each<[PlatformFailure, FailedOutcome]>([
    [{ outcome: "not-sent", message: "connection refused" }, "assignment-not-sent"],
    [{ outcome: "unknown", message: "500", status: 500 }, "assignment-unknown"],
    [{ outcome: "unknown", message: "timeout", isTimeout: true }, "assignment-unknown"],
    [refused(429), "assignment-refused-for-all"],
    [refused(401), "assignment-refused-for-all"],
    [refused(403), "assignment-refused-for-all"],
    [refused(302), "assignment-refused-for-all"],
    [refused(400, { error: "invalid_client" }), "assignment-refused-for-all"],
    [refused(400, "<html>"), "assignment-refused-for-all"],
    [refused(400, { conference: { tag: ["no"] } }), "tag-refused"],
    [refused(400, { conference: { description: ["no"], tag: ["no"] } }), "tag-refused"],
    [refused(400, { conference: { description: ["no"] } }), "room-refused"],
    [refused(400, { conference: { __all__: ["no"] } }), "room-refused"],
  ])("follows from the failure %j", (failure, outcome) => {
    expect(outcomeOfFailedAssignment(new PlatformError(failure))).toBe(outcome);
  });

  test("is the error itself if that is not a PlatformError", () => {
    const error = new TypeError("bug");
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

  test("tells the collector that it queued the room itself if the room has no marker", async () => {
    await dispose("assignment-unknown", { row: { id: 1, name: "room-a", description: "made by hand" } });
    expect(queues.deletion.texts()).toEqual([encodeQueuedName({ room: "room-a", queuedBy: "gateway" })]);
  });

  test("does nothing else if another claim has received the message", async () => {
    queues.pool.strikeNext("delete", { failure: "receipt-stale" });
    await dispose("assignment-unknown");

    expect([...queues.deletion.texts(), ...queues.provisioning.texts()]).toEqual([]);
    expect(queues.log.fieldsOf("room-discard-failed")).toEqual({
      room: "room-a",
      reason: "assignment-unknown",
      message: "lost",
    });
  });

  test("queues the room for deletion but requests no other if bulk delete cleared the pool", async () => {
    queues.pool.strikeNext("delete", { failure: "message-gone" });
    await dispose("assignment-unknown");

    expect(queues.deletion.texts()).toEqual(["room-a"]);
    expect(queues.provisioning.texts()).toEqual([]);
  });

  test("logs a leak and requests another room if the deletion queue fails", async () => {
    queues.deletion.strikeNext("put", { failure: "unknown" });
    await dispose("unanswered-claim");

    expect(queues.log.fieldsOf("room-leaked")).toEqual({ room: "room-a" });
    expect(queues.requests()).toHaveLength(1);
  });
});
