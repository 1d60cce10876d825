/** The platform's half of a claim: finds the room of a leased message and marks it as handed out. */
import type { Clock } from "../clock.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { withMarker } from "../rooms/marker.ts";
import type { ClaimAttempt, Disposal } from "./disposal.ts";

export interface AssignmentOptions {
  readonly conferences: Pick<Conferences, "findByName" | "update">;
  readonly clock: Clock;
  readonly timeoutSeconds: number;
  readonly disposal: Disposal;
}

/** Both throw PlatformError; by then the message was let go of, or waits out its lease. */
export interface Assignment {
  /** The room of the attempt's message; undefined when it is not on the platform. */
  find(attempt: ClaimAttempt): Promise<ConferenceRow | undefined>;
  /** Writes tag and marker; false when the room has vanished. */
  assign(attempt: ClaimAttempt, room: ConferenceRow): Promise<boolean>;
}

export function createAssignment({
  conferences,
  clock,
  timeoutSeconds,
  disposal,
}: AssignmentOptions): Assignment {
  async function recover(attempt: ClaimAttempt, error: unknown): Promise<void> {
    if (!(error instanceof PlatformError)) return;
    if (error.outcome === "not-sent" || error.platformStatus === 429) {
      await disposal.release(attempt);
    } else if (error.outcome === "unknown") {
      // A change that lands late must find a room that nobody holds.
      await disposal.discard(attempt, "assignment-unknown");
    } else if (isRoomsFault(error)) {
      await disposal.discardIfRejectedTooOften(attempt);
    }
  }

  return {
    async find(attempt) {
      const { message, startBefore } = attempt;
      try {
        return await conferences.findByName(message.text, { startBefore, timeoutSeconds });
      } catch (error) {
        if (isRoomsFault(error)) await disposal.discardIfRejectedTooOften(attempt);
        else await disposal.release(attempt);
        throw error;
      }
    },

    async assign(attempt, room) {
      const { message, serviceTag, startBefore } = attempt;
      const since = new Date(clock.now()).toISOString();
      const description = withMarker(room.description, { state: "assigned", since, messageId: message.id });
      const fields = { description, ...(serviceTag !== undefined && { tag: serviceTag }) };
      try {
        return await conferences.update(room.id, fields, { startBefore, timeoutSeconds });
      } catch (error) {
        await recover(attempt, error);
        throw error;
      }
    },
  };
}

// A platform that is busy, or refuses our log-in, refuses every room alike: that is no reason to give up this one.
const refusedForAll = [401, 403, 429];

function isRoomsFault(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.outcome !== "refused") return false;
  return error.platformStatus === undefined || !refusedForAll.includes(error.platformStatus);
}
