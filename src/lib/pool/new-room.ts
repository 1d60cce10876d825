/** A new room: its name, its guest PIN, the fields that create it on the platform, and their fingerprint. */
import { createHash } from "node:crypto";
import { formatMarker, isPersistent } from "../ownership/room.ts";
import type { ConferenceFields } from "../platform/conferences.ts";
import type { RandomSource } from "../ports.ts";

const nameBytes = 18;

/**
 * Returns a name of 144 random bits in base64url, which makes it unique. Names with a persistent prefix are skipped,
 * and so are names with a leading hyphen.
 */
export function newRoomName(random: RandomSource): string {
  for (;;) {
    const name = Buffer.from(random.bytes(nameBytes)).toString("base64url");
    if (!isPersistent(name) && !name.startsWith("-")) return name;
  }
}

/** Returns a guest PIN of the same length as the host PIN and with the same final `#`, which the platform requires. */
export function newGuestPin(hostPin: string, random: RandomSource): string {
  const hash = hostPin.endsWith("#") ? "#" : "";
  const digits = hostPin.length - hash.length;
  for (;;) {
    const pin = Array.from({ length: digits }, () => random.integerBelow(10)).join("") + hash;
    if (pin !== hostPin) return pin;
  }
}

/** The properties that distinguish a new room from others. */
export interface NewRoom {
  readonly name: string;
  readonly hostPin: string;
  readonly guestPin: string;
  /** Fields of the room template, in the platform's format. */
  readonly template: ConferenceFields;
  /** Creation time, ISO 8601 in UTC. */
  readonly since: string;
  readonly gatewayName: string;
}

/**
 * Returns the platform's fields of a new room. The template comes first, so it cannot override the gateway's fields.
 */
export function toNewConference(room: NewRoom): ConferenceFields {
  const { name, hostPin, guestPin, template, since, gatewayName: gateway } = room;
  const fingerprint = roomFingerprint(template, hostPin);
  return {
    ...template,
    name,
    service_type: "conference",
    description: formatMarker({ gateway, state: "pooled", since, fingerprint }),
    tag: "",
    pin: hostPin,
    allow_guests: true,
    guest_pin: guestPin,
    aliases: [{ alias: name }],
  };
}

const hexDigits = 8;

/**
 * Returns 8 hex digits that depend on the content of the room template, on the host PIN's length and on its final `#`,
 * and neither on the order of the template's keys nor on the digits of the PIN.
 */
export function roomFingerprint(template: ConferenceFields, hostPin: string): string {
  const pinShape = hostPin.replace(/\d/g, "0");
  const text = JSON.stringify([template, pinShape], sortKeys);
  return createHash("sha256").update(text).digest("hex").slice(0, hexDigits);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
