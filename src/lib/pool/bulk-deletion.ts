/** Bulk delete: empties the pool, then deletes every room that is ours, the persistent ones excepted. */
import type { Clock } from "../clock.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { Conferences } from "../platform/conferences.ts";
import type { Queue } from "../queues/queue.ts";
import { parseMarker } from "../rooms/marker.ts";
import { isPersistent, isRoom } from "../rooms/ownership.ts";
import { queueForDeletionOrLogLeak } from "./disposal.ts";

export interface BulkDeletion {
  /** Returns when a pass finds no room of ours. Throws `bulk-delete-incomplete` after 180 s or when rooms resist. */
  deleteAll(log: Log): Promise<void>;
}

export interface BulkDeletionOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly provisioning: Queue;
  readonly conferences: Pick<Conferences, "list" | "delete">;
  readonly clock: Clock;
}

const maxSeconds = 180;
const leaseSeconds = 300;
const maxPerReceive = 32;
const maxPassesWithoutProgress = 3;
const pauseMilliseconds = 1000;

export function createBulkDeletion(options: BulkDeletionOptions): BulkDeletion {
  const { pool, deletion, provisioning, conferences, clock } = options;

  async function deleteAll(log: Log): Promise<void> {
    await provisioning.clear();
    const pooledNames = await emptyPool();
    try {
      await deletePassByPass(pooledNames, log);
    } catch (error) {
      // Rooms without a marker are known by their pooled names alone; the collector must be able to find them.
      await forEachParallel(pooledNames, async (name) => queueForDeletionOrLogLeak(deletion, name, log));
      throw error;
    }
    log.info("bulk-deleted");
  }

  async function deletePassByPass(pooledNames: Set<string>, log: Log): Promise<void> {
    const until = clock.now() + maxSeconds * 1000;
    let failures: unknown[] = [];
    let lastCount = Number.POSITIVE_INFINITY;
    let passesInVain = 0;
    while (clock.now() < until) {
      const rooms = (await conferences.list()).filter((room) => isMatched(room, pooledNames));
      if (rooms.length === 0) return;
      if (rooms.length >= lastCount) {
        passesInVain += 1;
        if (passesInVain >= maxPassesWithoutProgress) break;
        await clock.sleep(pauseMilliseconds);
      }
      lastCount = rooms.length;
      failures = await deleteRooms(rooms, until, log);
    }
    throw new GatewayError("bulk-delete-incomplete", { retryAfterSeconds: 30, cause: failures[0] });
  }

  /** Takes all names out of the pool, and clears what claims hold: their commit then fails, and nobody is answered. */
  async function emptyPool(): Promise<Set<string>> {
    const names = new Set<string>();
    for (;;) {
      const messages = await pool.receive(maxPerReceive, leaseSeconds);
      if (messages.length === 0) break;
      for (const message of messages) names.add(message.text);
    }
    await pool.clear();
    return names;
  }

  /** The platform client bounds how many of these run at once. */
  async function deleteRooms(rooms: readonly ConferenceRow[], until: number, log: Log): Promise<unknown[]> {
    const results = await Promise.allSettled(
      rooms.map(async ({ id, name }) => {
        const wasThere = await conferences.delete(id, { startBefore: until });
        log.info("room-deleted", { room: name, wasThere });
      }),
    );
    return results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  }

  return { deleteAll };
}

function isMatched(room: ConferenceRow, pooledNames: ReadonlySet<string>): boolean {
  const isOurs = parseMarker(room.description) !== undefined || pooledNames.has(room.name);
  return isOurs && isRoom(room) && !isPersistent(room.name);
}
