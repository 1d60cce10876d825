/** A room of the gateway: its marker on the platform, who owns it, and the text of the messages about it. */

import { createHash } from "node:crypto";
import * as z from "zod";
import type { ConferenceRow } from "../platform/conferences.ts";

/** The content of a marker line. */
export interface Marker {
  /** The name of the gateway that owns the room. */
  readonly gateway: string;
  readonly state: "pooled" | "assigned";
  /** When the room entered this state, ISO 8601 in UTC. */
  readonly since: string;
  /** For an assigned room, the ID of the queue message that the claim received. */
  readonly messageId?: string | undefined;
  /** Fingerprint of the settings that the room was made with: 8 hex digits, or undefined for an older room. */
  readonly fingerprint?: string | undefined;
}

/** The platform's maximum length of a description, in characters. */
export const maxDescriptionCharacters = 250;

const product = "vmr-gateway";
const fingerprintPart = /^f:([0-9a-f]{8})$/;

/** Returns the marker in a line, or undefined if the line is other text. Any word is accepted as a gateway's name. */
function parseLine(line: string): Marker | undefined {
  const [first, gateway, state, since, ...rest] = line.trimEnd().split(" ");
  if (first !== product || !gateway || !since || (state !== "pooled" && state !== "assigned"))
    return undefined;
  const fingerprint = fingerprintPart.exec(rest.at(-1) ?? "")?.[1];
  if (fingerprint) rest.pop();
  const [messageId] = rest;
  return rest.length > 1 || messageId === "" ? undefined : { gateway, state, since, messageId, fingerprint };
}

// Django's admin shows a short text as a single-line input, and browsers remove line breaks from its value
// (https://html.spec.whatwg.org/multipage/input.html#text-(type=text)-state-and-search-state-(type=search)).
const beforeLine = /\r?\n|(?=vmr-gateway \S+ (?:pooled|assigned) )/;

/** Returns any gateway's last marker in a description, also behind other text, or undefined if there is none. */
export function parseMarker(description: string | null | undefined): Marker | undefined {
  const lines = (description ?? "").split(beforeLine);
  return lines.reduceRight<Marker | undefined>((found, line) => found ?? parseLine(line), undefined);
}

/** Returns a description without any gateway's marker lines, as the API shows it. */
export function withoutMarker(description: string): string {
  if (!parseMarker(description)) return description;
  const lines = description.split(beforeLine);
  return lines.filter((line) => !parseLine(line)).join("\n");
}

/**
 * Returns a description with its marker replaced. The fingerprint stays as it was, because a room keeps the settings
 * that it was made with. Text beyond the platform's limit is cut off at the end.
 */
export function withMarker(description: string | null | undefined, marker: Marker): string {
  const fingerprint = parseMarker(description)?.fingerprint ?? marker.fingerprint;
  const line = formatMarker({ ...marker, fingerprint });
  const characters = Array.from(withoutMarker(description ?? ""));
  const text = characters.slice(0, maxDescriptionCharacters - line.length - 1).join("");
  return text === "" ? line : `${text}\n${line}`;
}

/** Returns the marker line as it is stored. */
export function formatMarker({ gateway, state, since, messageId, fingerprint }: Marker): string {
  const settings = fingerprint === undefined ? [] : [`f:${fingerprint}`];
  return [product, gateway, state, since, ...(messageId ? [messageId] : []), ...settings].join(" ");
}

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

/** Which rooms of the platform are the gateway's. */
export interface OwnershipRules {
  /** The name in its markers. */
  readonly gatewayName: string;
  /**
   * What an event does to a room without a marker: nothing, or it ends the room unless the room shows another owner.
   */
  readonly unmarkedRooms: "keep" | "collect";
}

/** Returns whether the room has another gateway's marker, so that nothing but an explicit request may change it. */
export function isOfOtherGateway({ description }: ConferenceRow, gatewayName: string): boolean {
  return (parseMarker(description)?.gateway ?? gatewayName) !== gatewayName;
}

/**
 * Returns whether a conference belongs to another system, so that no event may delete it: it is not a room, or it has
 * no marker and the setting keeps such rooms, or it shows another owner, or its aliases do not include its name. A room
 * without any alias is not foreign.
 */
export function isForeign(
  conference: ConferenceRow,
  unmarkedRooms: OwnershipRules["unmarkedRooms"],
): boolean {
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

/** A room of the gateway, as its marker describes it. */
export interface MarkedRoom {
  readonly name: string;
  readonly marker: Marker;
}

/** Returns the rooms that have the marker of this gateway. */
export function markedRooms(rows: readonly ConferenceRow[], gatewayName: string): MarkedRoom[] {
  return rows.flatMap(({ name, description }) => {
    const marker = parseMarker(description);
    return marker?.gateway === gatewayName ? [{ name, marker }] : [];
  });
}

/** The content of a message on the pool or on the deletion queue. Fields that another release writes are ignored. */
const RoomMessage = z.object({
  room: z.string(),
  /** Set on the deletion queue by the gateway and its operators. An event has no such field. */
  queuedBy: z.literal("gateway").optional(),
  /**
   * Set on the deletion queue: the ID that the marker has, or may have, of the claim that gave the room up. The claim's
   * own message is then deleted, or the marker already has the ID, so that nobody else can be given the room.
   */
  claimId: z.string().optional(),
  /** Set on the deletion queue: why the gateway queued the room, for the log. */
  reason: z.string().optional(),
  /** Set on the deletion queue by a command: the object ID of the operator, for the log. */
  operator: z.string().optional(),
  /** Set on the deletion queue: how many runs of the collector have failed to delete this room. */
  failures: z.int().min(0).optional(),
  /** Set in the pool: how many times the platform has refused to assign this room. */
  refusals: z.int().min(0).optional(),
});
// Another release may write other values. Whatever names a room is that room's message.
const ReadableMessage = z.union([RoomMessage, RoomMessage.pick({ room: true })]);
export type RoomMessage = Readonly<z.output<typeof RoomMessage>>;

/**
 * Returns the message text. A plain name that looks like JSON is written as JSON, so no event can imitate the gateway.
 */
export function encodeRoomMessage(message: RoomMessage): string {
  const { room, ...others } = message;
  const isPlain = Object.values(others).every((value) => value === undefined) && !room.startsWith("{");
  return isPlain ? room : JSON.stringify(message);
}

/** Returns what the text says; a text that is not JSON with a room is a plain name. */
export function decodeRoomMessage(text: string): RoomMessage {
  if (!text.startsWith("{")) return { room: text };
  try {
    return ReadableMessage.parse(JSON.parse(text));
  } catch {
    return { room: text };
  }
}

// The form of names that `newRoomName` returns.
const ownName = /^[A-Za-z0-9_][A-Za-z0-9_-]{23}$/;

/**
 * Returns a name that an event brought, for the log: the name itself if it has the form of the gateway's own names, and
 * otherwise a hash of it. Names that people choose can identify them.
 */
export function loggableName(room: string): string {
  return ownName.test(room) ? room : `sha256:${createHash("sha256").update(room).digest("hex").slice(0, 12)}`;
}
