/** What an operator's command notes in the description of a room that it takes out of the pool. */

import { parseMarker, withMarker, withoutMarker } from "../../../src/lib/ownership/room.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";

const takenOut = "vmr-gateway taken out of the pool by ops";

/** Returns a description that also says which command took the room out of the pool. */
export function withTakenOut(description: string, command: string): string {
  const marker = parseMarker(description);
  const text = `${takenOut} ${command}\n${withoutMarker(description)}`;
  return marker ? withMarker(text, marker) : text;
}

/** Returns whether a command took the room out of the pool. Its marker says `assigned`, as if a caller had it. */
export function isTakenOut({ description }: Pick<ConferenceRow, "description">): boolean {
  return description?.startsWith(takenOut) === true && parseMarker(description)?.state === "assigned";
}
