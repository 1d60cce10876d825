/** When the garbage collection deletes a room that is queued now. */
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { duration } from "../terminal/format.ts";

const collectorPauseSeconds = 600;

/** Returns for example `in 10 min to 20 min`. */
export function deletionTime({ garbage }: Pick<Settings, "garbage">): string {
  return `in ${duration(garbage.minAgeSeconds)} to ${duration(garbage.minAgeSeconds + collectorPauseSeconds)}`;
}
