/** Deletes one room after a last look at it. Collector and bulk delete use this step. */
import type { Log } from "../log.ts";
import { isPersistent, loggableName, type Ownership } from "../ownership/room.ts";
import type { ConferenceRow, Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/errors.ts";
import type { PlatformStatus } from "../platform/status.ts";
import type { Clock } from "../ports.ts";
import { type Decision, type DeletionRequest, decide } from "./decisions.ts";

export interface RoomDeletionOptions extends Ownership {
  readonly conferences: Pick<Conferences, "findByName" | "delete">;
  /** Missing if rooms are deleted even if they are live. */
  readonly status?: Pick<PlatformStatus, "isLive">;
  readonly clock: Pick<Clock, "now">;
}

interface Attempt {
  readonly log: Log;
  /** No call starts after this time, in clock milliseconds. */
  readonly startBefore: number;
  /** The room, if no look-up can change the decision. */
  readonly row?: ConferenceRow | undefined;
  /** Whether the step ends with the decision: it neither checks whether the room is live nor deletes it. */
  readonly onlyLooks?: boolean;
}

// A room that is handed out, or in which a conference begins, after the last look must not be deleted.
const maxLookAgeSeconds = 10;

/**
 * Returns the step, which returns the decision; if it is to delete the room, the room has been deleted. The step throws
 * PlatformError if it could not look at the room, or not delete it in time.
 */
export function createRoomDeletion(options: RoomDeletionOptions) {
  const { conferences, status, clock } = options;

  async function isLive({ room, isOverdue }: DeletionRequest, { log, startBefore }: Attempt) {
    try {
      return (await status?.isLive(room, { startBefore })) ?? false;
    } catch (error) {
      // The platform may hide its status for ever. Every other failure is temporary.
      const isHidden = error instanceof PlatformError && [403, 404].includes(error.platformStatus ?? 0);
      if (!isHidden || isOverdue) throw error;
      log.warn("live-check-unavailable", { room: loggableName(room) }, error);
      return false;
    }
  }

  return async (request: DeletionRequest, attempt: Attempt): Promise<Decision> => {
    const { log, row: known, onlyLooks = false } = attempt;
    if (isPersistent(request.room)) return decide(request, undefined, options);
    const lookedBefore = clock.now() + maxLookAgeSeconds * 1000;
    const startBefore =
      known || onlyLooks ? attempt.startBefore : Math.min(attempt.startBefore, lookedBefore);
    // At the same time, so that a platform that needs several seconds per call can be looked at in time.
    const [live, row] = await Promise.all([
      !onlyLooks && isLive(request, { ...attempt, startBefore }),
      known ?? conferences.findByName(request.room, { startBefore }),
    ]);
    const decision = decide(request, row, options, live);
    if (decision.action !== "delete" || !row || onlyLooks) return decision;
    const wasThere = await conferences.delete(row.id, { startBefore });
    log.info("room-deleted", { room: request.room, wasThere, ...request.logFields });
    return decision;
  };
}
