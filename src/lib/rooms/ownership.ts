/** Which conferences on the platform are rooms, which of them the gateway owns, and which it never deletes. */
import type { ConferenceRow } from "../platform/conference-row.ts";
import { parseMarker } from "./marker.ts";

const persistentPrefixes = ["test_", "vkiosk_"];

/** Returns whether garbage collection and bulk delete never delete a room of this name. */
export function isPersistent(name: string): boolean {
  return persistentPrefixes.some((prefix) => name.startsWith(prefix));
}

/** Returns whether a conference is a room, as opposed to a test call, an auditorium or another service. */
export function isRoom({ service_type }: ConferenceRow): boolean {
  return (service_type ?? "conference") === "conference";
}

/**
 * Returns whether a conference does not belong to the gateway: it is not a room, or it has no marker and its aliases
 * do not include its name. A conference without any alias is not foreign.
 */
export function isForeign(conference: ConferenceRow): boolean {
  if (!isRoom(conference)) return true;
  if (parseMarker(conference.description) !== undefined) return false;
  const aliases = conference.aliases ?? [];
  return aliases.length > 0 && !aliases.some(({ alias }) => alias === conference.name);
}
