/** What the gateway remembers of a create that carried an idempotency key, and the port of the store that keeps it. */
import { createHash } from "node:crypto";
import * as z from "zod";

/** How long a repeated key gives the same room (draft-ietf-httpapi-idempotency-key-header leaves it to the server). */
export const recordLifetimeMilliseconds = 24 * 3600_000;

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

/** Both methods throw GatewayError `storage-unavailable` if the store does not respond; a write may have happened then. */
export interface CreateRecordStore {
  read(id: string): Promise<StoredRecord | undefined>;
  /** Writes the record if there is none, or if the stored one still has the version `replaced`. Returns whether it did. */
  write(id: string, record: CreateRecord, replaced?: string): Promise<boolean>;
}

/** A key as one application sent it. */
export interface IdempotencyKey {
  readonly application: string;
  readonly key: string;
}

/** Returns the id of a key's record, from which neither the application nor the key can be read. */
export function recordIdOf({ application, key }: IdempotencyKey): string {
  return hash([application, key]);
}

/** Returns the hash that tells whether a repeat asks for the same service tag. */
export function tagHashOf({ application, key }: IdempotencyKey, serviceTag: string | undefined): string {
  return hash([application, key, serviceTag ?? null]);
}

function hash(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
