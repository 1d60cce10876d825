/** Claims with an idempotency key: a retried create gets the same room. */
import { createHash } from "node:crypto";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { parseMarker } from "../ownership/room.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { type Clock, type CreateRecord, type CreateRecordStore, timestampOf } from "../ports.ts";
import type { Queue } from "../queue.ts";
import type { Claims } from "./claim.ts";
import { createGiveUp } from "./giving-up.ts";

/** A key as one application sent it. */
interface IdempotencyKey {
  readonly application: string;
  readonly key: string;
}

/** Neither the application nor the key nor the service tag can be read from a hash. */
function hash(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** How long a repeated key gives the same room (draft-ietf-httpapi-idempotency-key-header leaves it to the server). */
const recordLifetimeMilliseconds = 24 * 3600_000;

export type IdempotentClaims = ReturnType<typeof createIdempotentClaims>;

export interface IdempotentClaimsOptions {
  readonly claims: Claims;
  readonly records: CreateRecordStore;
  readonly conferences: Conferences;
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly clock: Clock;
}

/**
 * The record is written after the commit and before the response, so whoever writes it first decides the key's room.
 */
export function createIdempotentClaims(options: IdempotentClaimsOptions) {
  const { claims, records, conferences, clock } = options;
  const giveUp = createGiveUp(options);

  const isValid = ({ createdAt }: CreateRecord) =>
    clock.now() - Date.parse(createdAt) < recordLifetimeMilliseconds;

  /** Reads the recorded room from the platform, because a record contains no PIN. */
  async function roomOf(record: CreateRecord, tagHash: string): Promise<ConferenceRow> {
    if (record.tagHash !== tagHash) throw new GatewayError("key-reused");
    const room = await conferences.findByName(record.room);
    if (!room) throw new GatewayError("room-not-found");
    return room;
  }

  /** Returns the record that decides: the given one, or the one that another request wrote first, if any. */
  async function writeOrRead(id: string, record: CreateRecord, replaced: string | undefined) {
    const refusal = await records.write(id, record, replaced);
    return { refusal, winner: refusal ? (await records.read(id))?.record : record };
  }

  async function claimOnce(id: string, tagHash: string, serviceTag: string | undefined, log: Log) {
    const known = await records.read(id);
    if (known && isValid(known.record)) {
      log.info("create-repeated", { room: known.record.room });
      return roomOf(known.record, tagHash);
    }
    const room = await claims.claim(serviceTag, log);
    const record = { room: room.name, tagHash, createdAt: timestampOf(clock) };
    const { winner, refusal } = await writeOrRead(id, record, known?.version).catch((error: unknown) => {
      // If the record exists, a retry gets this room. If not, the room counts as unaccounted.
      log.error("create-record-unknown", { room: room.name });
      throw error;
    });
    // This also happens if our own write was sent twice and the second one was refused.
    if (winner?.room === room.name) return room;
    log.warn("create-repeat-lost", { room: room.name, winner: winner?.room ?? null });
    const claimId = parseMarker(room.description)?.messageId;
    await giveUp({ room: room.name, claimId, reason: "create-repeat-lost", message: "deleted" }, log);
    if (!winner) throw new GatewayError("storage-unavailable", { retryAfterSeconds: 5, cause: refusal });
    return roomOf(winner, tagHash);
  }

  // One claim per key and instance: a caller that retries a slow request gets the result of the first one.
  const inProgress = new Map<string, { readonly tagHash: string; readonly room: Promise<ConferenceRow> }>();

  return {
    /**
     * Hands out the room that this key was given within the last 24 hours, or else a room from the pool. Throws what
     * `Claims.claim` throws, `room-not-found` if the key's room has been deleted, `key-reused` if the key was sent with
     * another service tag, and `storage-unavailable` if the record is not written or may not be; the caller should then
     * retry.
     */
    async claim({ application, key }: IdempotencyKey, serviceTag: string | undefined, log: Log) {
      const id = hash([application, key]);
      const tagHash = hash([application, key, serviceTag ?? null]);
      let first = inProgress.get(id);
      while (first && first.tagHash !== tagHash) {
        // With another tag, this request waits for the record, which then rejects it unless the claim failed.
        await first.room.catch(() => undefined);
        first = inProgress.get(id);
      }
      if (first) {
        const room = await first.room;
        log.info("create-repeated", { room: room.name });
        return room;
      }
      const room = claimOnce(id, tagHash, serviceTag, log).finally(() => inProgress.delete(id));
      inProgress.set(id, { tagHash, room });
      return room;
    },
  };
}
