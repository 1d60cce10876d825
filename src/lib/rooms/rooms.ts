/** What is special about our rooms: their names, which are persistent, and how a new one is described to the platform. */

import type { ConferenceRow } from "../platform/conference-row.ts";
import type { ConferenceFields } from "../platform/conferences.ts";
import type { RandomSource } from "../random.ts";
import { formatMarker, parseMarker } from "./marker.ts";

const persistentPrefixes = ["test_", "vkiosk_"];
const nameBytes = 18;

/** Whether a room is never deleted by the collector or by bulk delete (specification §8). */
export function isPersistent(name: string): boolean {
  return persistentPrefixes.some((prefix) => name.startsWith(prefix));
}

/** Whether a conference on the platform is a room at all, and no test call, auditorium or the like. */
export function isRoom({ service_type }: ConferenceRow): boolean {
  return (service_type ?? "conference") === "conference";
}

/** Whether a conference is none of ours: no room, or without our marker and with aliases none of which is its name. */
export function isForeign(conference: ConferenceRow): boolean {
  if (!isRoom(conference)) return true;
  if (parseMarker(conference.description) !== undefined) return false;
  const aliases = conference.aliases ?? [];
  return aliases.length > 0 && !aliases.some(({ alias }) => alias === conference.name);
}

/** A name that was never used before: 144 random bits as base64url, without a persistent prefix. */
export function newRoomName(random: RandomSource): string {
  for (;;) {
    const name = Buffer.from(random.bytes(nameBytes)).toString("base64url");
    if (!isPersistent(name) && !name.startsWith("-")) return name;
  }
}

/** A guest PIN of the host PIN's form (the platform's rules: same length, same final `#`) that differs from it. */
export function newGuestPin(hostPin: string, random: RandomSource): string {
  const hash = hostPin.endsWith("#") ? "#" : "";
  const digits = hostPin.length - hash.length;
  for (;;) {
    const pin = Array.from({ length: digits }, () => random.integerBelow(10)).join("") + hash;
    if (pin !== hostPin) return pin;
  }
}

export interface NewRoom {
  readonly name: string;
  readonly hostPin: string;
  readonly guestPin: string;
  /** Fields of the room template, in the platform's own form. */
  readonly template: ConferenceFields;
  /** When it is made, ISO 8601. */
  readonly since: string;
}

/** The fields of a new room: template first, so that it can never override what makes the room ours. */
export function toNewConference({ name, hostPin, guestPin, template, since }: NewRoom): ConferenceFields {
  return {
    ...template,
    name,
    service_type: "conference",
    description: formatMarker({ state: "pooled", since }),
    tag: "",
    pin: hostPin,
    allow_guests: true,
    guest_pin: guestPin,
    aliases: [{ alias: name }],
  };
}
