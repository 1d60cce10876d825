/** Deletes one room after a last look at it. Collector and bulk delete use this function. */
import type { Log } from "../log.ts";
import { loggableName, type OwnershipRules } from "../ownership/room.ts";
import type { PlatformClient } from "../platform/client.ts";
import type { CallLimits, ConferenceRow, Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/errors.ts";
import type { PlatformStatus } from "../platform/status-api.ts";
import type { Clock } from "../ports.ts";
import { type Decision, type DeletionRequest, decide } from "./decisions.ts";

export interface RoomDeletionOptions extends OwnershipRules {
  readonly conferences: Pick<Conferences, "findByName" | "delete">;
  /** Missing if rooms are deleted even if they are live. */
  readonly status?: Pick<PlatformStatus, "isLive">;
  readonly takeSlot: PlatformClient["background"]["takeSlot"];
  readonly clock: Pick<Clock, "now">;
}

/** One call of the function. */
interface RoomDeletionCall {
  readonly log: Log;
  /** No call starts after this time, in clock milliseconds. */
  readonly startBefore: number;
  /** The room, if no look-up can change the decision. */
  readonly row?: ConferenceRow | undefined;
}

// A room that is handed out, or in which a conference begins, after the last look must not be deleted. No call takes
// longer: PLATFORM_TIMEOUT_SECONDS has the same maximum.
const maxLookAgeSeconds = 20;

/**
 * Creates a function that decides about a room and carries the decision out. If it returns `delete`, the room is gone.
 * One slot serves all its calls, so that no other call comes between the last look and the deletion. It throws
 * PlatformError if it could not look at the room, or not delete it in time.
 */
export function createRoomDeletion(options: RoomDeletionOptions) {
  const { conferences, status, takeSlot, clock } = options;

  async function isLive({ room, isOverdue }: DeletionRequest, log: Log, look: () => CallLimits) {
    if (!status) return false;
    try {
      return await status.isLive(room, look());
    } catch (error) {
      // The platform may hide its status for ever. Every other failure, such as a firewall's page, is temporary.
      const isHidden = error instanceof PlatformError && [403, 404].includes(error.platformStatus ?? 0);
      if (!isHidden || isOverdue) throw error;
      log.warn("live-check-unavailable", { room: loggableName(room) }, error);
      return false;
    }
  }

  return async (request: DeletionRequest, call: RoomDeletionCall): Promise<Decision> => {
    const { log, row: known } = call;
    using slot = await takeSlot(call.startBefore);
    let { startBefore } = call;
    /** Returns the limits of a look. The next call must start soon after it. */
    const look = (): CallLimits => {
      const limits = { slot, startBefore };
      startBefore = Math.min(call.startBefore, clock.now() + maxLookAgeSeconds * 1000);
      return limits;
    };
    const row = known ?? (await conferences.findByName(request.room, look()));
    const decision = decide(request, row, options);
    if (decision.action !== "delete" || !row) return decision;
    if (await isLive(request, log, look))
      return { ...decision, action: decision.actionIfLive, reason: "live" };
    // The look has just found it. The next look says whether the room is gone.
    if (!(await conferences.delete(row.id, { slot, startBefore })))
      return { ...decision, action: "postpone", reason: "vanished" };
    log.info("room-deleted", { room: loggableName(request.room), ...request.logFields });
    return decision;
  };
}
