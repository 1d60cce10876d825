/**
 * What the gateway needs from outside the process beside its queues, as interfaces: records, metrics, time and
 * randomness.
 */
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";

/** A source of time that can also wait. */
export interface Clock {
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Resolves after this many milliseconds. May reject as soon as `signal` is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Returns the time of a clock in ISO 8601, in UTC. */
export function timestampOf(clock: Pick<Clock, "now">): string {
  return new Date(clock.now()).toISOString();
}

/** The operating system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, { signal });
  },
};

/** A source of random values. */
export interface RandomSource {
  /** Returns this many random bytes. */
  bytes(count: number): Uint8Array;
  /** Returns a whole number from 0 to `limit` - 1; all are equally likely. */
  integerBelow(limit: number): number;
}

/** The operating system's cryptographically secure source. */
export const secureRandom: RandomSource = {
  bytes: (count) => randomBytes(count),
  integerBelow: (limit) => randomInt(limit),
};

/** The record of a create with an idempotency key. */
export const CreateRecord = z.object({
  room: z.string(),
  /** Of the service tag, which is not stored itself. */
  tagHash: z.string(),
  /** ISO 8601. */
  createdAt: z.iso.datetime(),
});
export type CreateRecord = z.output<typeof CreateRecord>;

/** A record as it is stored; `version` lets only one writer replace it. */
interface StoredRecord {
  readonly record: CreateRecord;
  readonly version: string;
}

/**
 * Every method throws GatewayError `storage-unavailable` if the store does not respond; a write may have happened then.
 */
export interface CreateRecordStore {
  read(id: string): Promise<StoredRecord | undefined>;
  /**
   * Writes the record if there is none, or if the stored one still has the version `replaced`. Returns undefined, or
   * why the storage refused to write, for example because another request has written the record.
   */
  write(id: string, record: CreateRecord, replaced?: string): Promise<Error | undefined>;
}

/** Writes a row of named values to the metrics store. Throws an Error if the row was not accepted. */
export type MetricsSink<Row> = (row: Row) => Promise<void>;
