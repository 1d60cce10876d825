/** What happens to a claim's message for each outcome, and in which order a room is discarded. */
import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { decodeRoomMessage } from "../../../src/lib/ownership/room.ts";
import { type Outcome, PlatformError } from "../../../src/lib/platform/errors.ts";
import {
  createSettle,
  type FailedOutcome,
  outcomeOfFailedAssignment,
  settlements,
} from "../../../src/lib/pool/settlement.ts";
import type { QueueFault } from "../../../tools/simulators/memory/queue.ts";
import { leaseSeconds, usePoolWorld } from "../../support/pool-world.ts";

const queues = usePoolWorld();
beforeEach(async () => queues.pool.put("room-a"));

/** Receives the message and settles it. The platform has refused the room this often before. */
async function settle(outcome: FailedOutcome, refusals?: number): Promise<void> {
  const heldUntil = queues.clock.now() + leaseSeconds * 1000;
  const [message] = await queues.pool.receive(1, leaseSeconds);
  if (!message) throw new Error("the pool is empty");
  const content = { ...decodeRoomMessage(message.text), refusals };
  const requestRoom = async () => queues.replenishment.topUpByOne(queues.log);
  const held = { message, content, heldUntil, requestRoom, log: queues.log };
  await createSettle({ ...queues, leaseSeconds })(held, outcome);
}

/** Returns for how many seconds the message is invisible. */
const messageState = () => {
  const [message] = queues.pool.contents();
  return message ? (message.visibleAt - queues.clock.now()) / 1000 : "deleted";
};

/** What is left: the pool's message, with its refusals, and the number of rooms to delete and to request. */
const effects = () => ({
  message: messageState(),
  refusals: queues.pool.texts().map((text) => decodeRoomMessage(text).refusals ?? 0)[0],
  toDelete: queues.deletion.texts().length,
  requested: queues.requests().length,
});
interface Example {
  readonly outcome: FailedOutcome;
  /** How often the room was refused before. */
  readonly refusalsBefore?: number;
  readonly leaves: ReturnType<typeof effects>;
  /** The event that is logged if the queues fail. */
  readonly failure: string;
}
const untouched = { refusals: 0, toDelete: 0, requested: 0 };
const deleted = { message: "deleted", refusals: undefined, toDelete: 0, requested: 0 };
// One outcome of each settlement. docs/architecture.md names the settlement of each outcome.
const examples: readonly Example[] = [
  {
    outcome: "unanswered-claim",
    leaves: { ...deleted, toDelete: 1, requested: 1 },
    failure: "room-discard-failed",
  },
  { outcome: "room-missing", leaves: { ...deleted, requested: 1 }, failure: "room-discard-failed" },
  { outcome: "duplicate-message", leaves: deleted, failure: "duplicate-message" },
  {
    outcome: "find-failed",
    refusalsBefore: 4,
    leaves: { ...untouched, message: 0 },
    failure: "release-failed",
  },
  { outcome: "room-vanished", leaves: { ...untouched, message: 20 }, failure: "release-failed" },
  {
    outcome: "room-refused",
    leaves: { ...untouched, message: leaseSeconds, refusals: 1 },
    failure: "release-failed",
  },
  {
    outcome: "room-refused",
    refusalsBefore: 3,
    leaves: { ...untouched, message: leaseSeconds, refusals: 4 },
    failure: "release-failed",
  },
  {
    outcome: "room-refused",
    refusalsBefore: 4,
    leaves: { ...deleted, toDelete: 1, requested: 1 },
    failure: "room-discard-failed",
  },
];

describe("The settlement of a message", () => {
  test.each(examples)(
    "after $outcome, with $refusalsBefore refusals before, does what its row says",
    async ({ outcome, refusalsBefore, leaves }) => {
      await settle(outcome, refusalsBefore);
      expect(effects()).toEqual(leaves);
    },
  );

  test.each(examples)(
    "after $outcome, with $refusalsBefore refusals before, logs a failure of every queue",
    async ({ outcome, refusalsBefore, failure }) => {
      for (const operation of ["delete", "delete", "setInvisible"] as const)
        queues.pool.strikeNext(operation, { failure: "unknown" });
      queues.deletion.strikeNext("put", { failure: "unknown" });
      queues.provisioning.strikeNext("put", { failure: "unknown" });
      await settle(outcome, refusalsBefore);
      expect(effects()).toEqual({ ...untouched, message: leaseSeconds });
      expect(queues.log.fieldsOf(failure)).toMatchObject({ room: "room-a" });
    },
  );
});

const failed = (outcome: Outcome, body?: unknown, status = 400) =>
  new PlatformError({ outcome, message: "PATCH", status, body });

test.each<[string, FailedOutcome, PlatformError]>([
  ["was not sent", "assignment-not-sent", failed("not-sent")],
  ["may have been made", "assignment-unknown", failed("unknown", "", 500)],
  ["gets 429", "assignment-refused-for-all", failed("refused", "", 429)],
  ["gets no token", "assignment-refused-for-all", failed("refused", { error: "invalid_client" })],
  [
    "is refused for its tag too",
    "tag-refused",
    failed("refused", { conference: { description: ["no"], tag: ["no"] } }),
  ],
  [
    "is refused for another field",
    "room-refused",
    failed("refused", { conference: { description: ["no"] } }),
  ],
  ["is refused for the whole room", "room-refused", failed("refused", { conference: { __all__: ["no"] } })],
])("After a change that %s, the outcome is `%s`", (_, outcome, failure) => {
  expect(outcomeOfFailedAssignment(failure)).toBe(outcome);
});

test("An error that is not the platform's has no outcome", () => {
  const bug = new TypeError("bug");
  expect(() => outcomeOfFailedAssignment(bug)).toThrow(bug);
});

describe("The settlement that discards a room", () => {
  const unknown = { failure: "unknown" } as const;
  const leaseOver = { meanwhile: () => queues.clock.advance(leaseSeconds) };

  test.each<[string, string, QueueFault[]]>([
    ["its receipt is stale", "lost", [{ failure: "receipt-stale" }]],
    // Another claim may have received the message in the meantime, and deleted it.
    ["its message is gone after the lease", "lost", [{ failure: "message-gone", ...leaseOver }]],
    ["two deletions have an unknown outcome", "unknown", [unknown, unknown]],
  ])("does nothing else if another claim may get the room because %s", async (_, message, faults) => {
    for (const fault of faults) queues.pool.strikeNext("delete", fault);
    await settle("assignment-unknown");

    expect([...queues.deletion.texts(), ...queues.provisioning.texts()]).toEqual([]);
    const failed = { room: "room-a", reason: "assignment-unknown", message };
    expect(queues.log.fieldsOf("room-discard-failed")).toEqual(failed);
  });

  test("queues the room for deletion but requests no other if bulk delete cleared the pool", async () => {
    const [message] = queues.pool.contents();
    queues.pool.strikeNext("delete", { failure: "message-gone" });
    await settle("assignment-unknown");

    const content = { queuedBy: "gateway", claimId: message?.id, reason: "assignment-unknown" };
    expect(queues.deletion.texts().map(decodeRoomMessage)).toEqual([{ room: "room-a", ...content }]);
    expect(queues.provisioning.texts()).toEqual([]);
  });

  test("logs a leak and requests another room if the deletion queue fails", async () => {
    queues.deletion.strikeNext("put", { failure: "unknown" });
    await settle("unanswered-claim");

    expect(queues.log.fieldsOf("room-leaked")).toEqual({ room: "room-a" });
    expect(queues.requests()).toHaveLength(1);
  });
});

test("`docs/architecture.md` shows what a claim does with each outcome", async () => {
  const text = await readFile(new URL("../../../docs/architecture.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| \d \w+ \| `([\w-]+)` \| .* \| `([\w-]+)` \| .* \|$/gm)];
  expect(Object.fromEntries(rows.map(([, outcome = "", settlement]) => [outcome, settlement]))).toEqual(
    settlements,
  );
});
