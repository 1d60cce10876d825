/** The names under which the simulation reports a broken promise. */

/** The promises of docs/architecture.md. */
export const promises = [
  "handed-out-twice",
  "room-lost",
  "protected-room-deleted",
  "deleted-too-early",
  "pool-level-wrong",
  "event-lost",
  "secret-exposed",
  "undocumented-response",
] as const;

/**
 * A promise, or one of the invariants behind them. `room-lost-by-one-fault`: a room got lost although no invocation met
 * more than one fault. `deleted-without-message`: garbage collection deleted a room that was not in its queue.
 * `ended-room-kept`: an ended room stays without a recorded reason. `bulk-delete-incomplete`: bulk delete returned 204
 * although a room is left. `repeated-create-differs`: a repeated
 * idempotency key gave another room. `timer-failed`: a timer failed without a fault. `harness`: the simulation itself is broken.
 */
export type PromiseName =
  | (typeof promises)[number]
  | "room-lost-by-one-fault"
  | "deleted-without-message"
  | "ended-room-kept"
  | "bulk-delete-incomplete"
  | "repeated-create-differs"
  | "timer-failed"
  | "harness";
