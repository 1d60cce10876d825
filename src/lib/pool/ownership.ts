/** Which conferences on the platform are rooms, which of them the gateway owns, and which it never deletes. */
import type { ConferenceRow } from "../platform/conference-row.ts";
import { parseMarker } from "./marker.ts";

const persistentPrefixes = ["test_", "vkiosk_"];

/** Returns whether garbage collection and bulk delete never delete a room of this name. */
export function isPersistent(name: string): boolean {
  return persistentPrefixes.some((prefix) => name.startsWith(prefix));
}

/**
 * Returns whether a conference is a room, as opposed to a test call, an auditorium or another service. The marker
 * decides, because a PATCH may change the `service_type` of a room.
 */
export function isRoom({ service_type, description }: ConferenceRow): boolean {
  return (service_type ?? "conference") === "conference" || parseMarker(description) !== undefined;
}

/** Returns whether callers can dial the room by its name: one of its aliases equals it. */
export function isDialable({ name, aliases }: ConferenceRow): boolean {
  return (aliases ?? []).some(({ alias }) => alias === name);
}

/** What an event does to a room without a marker: nothing, or it ends the room unless that shows another owner. */
export type UnmarkedRooms = "keep" | "collect";

/**
 * Returns whether a conference belongs to another system, so that no event may delete it: it is not a room, or it has
 * no marker and the setting keeps such rooms, or it shows another owner, or its aliases do not include its name. A room
 * without any alias is not foreign.
 */
export function isForeign(conference: ConferenceRow, unmarkedRooms: UnmarkedRooms): boolean {
  if (parseMarker(conference.description) !== undefined) return false;
  if (!isRoom(conference) || unmarkedRooms === "keep" || hasOtherOwner(conference)) return true;
  return (conference.aliases ?? []).length > 0 && !isDialable(conference);
}

// Only directory synchronisation and scheduling set these fields.
function hasOtherOwner(conference: ConferenceRow): boolean {
  const { sync_tag, primary_owner_email_address, scheduled_conferences_count } = conference;
  const isSet = (value: unknown) => typeof value === "string" && value !== "";
  return (
    isSet(sync_tag) || isSet(primary_owner_email_address) || Number(scheduled_conferences_count ?? 0) > 0
  );
}
