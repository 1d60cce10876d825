/** Decides by a table what the collector does with each message of the deletion queue. */
import type { ConferenceRow } from "../platform/conferences.ts";
import { PlatformError } from "../platform/errors.ts";
import type { QueueMessage } from "../ports.ts";
import type { RoomMessages } from "./deletion-queue.ts";
import {
  isForeign,
  isPersistent,
  isRoom,
  type Marker,
  parseMarker,
  type RoomMessage,
  type UnmarkedRooms,
} from "./room.ts";

/**
 * What the collector does with a room that is neither young nor live, by the state of the room and by who queued its
 * name. `delete` deletes the room and then its messages; `keep` deletes only the messages.
 */
export const decisions = {
  persistent: { event: "keep", gateway: "keep" },
  gone: { event: "keep", gateway: "keep" },
  foreign: { event: "keep", gateway: "keep" },
  // In the pool, so the conference was not a caller's. If the gateway queued the room, its pool message has been deleted.
  pooled: { event: "keep", gateway: "delete" },
  unmarked: { event: "delete", gateway: "delete" },
  // The marker has the ID of the message: the claim that wrote both gave the room up, and no clock has to be compared.
  "given-up": { event: "keep", gateway: "delete" },
  "assigned-before": { event: "delete", gateway: "delete" },
  "assigned-later": { event: "keep", gateway: "keep" },
} as const satisfies Record<string, Record<"event" | "gateway", "delete" | "keep">>;

/** The state in which the collector finds a room. */
export type RoomState = keyof typeof decisions;

// The queue's times are whole seconds, and the clocks of instances and storage differ by seconds.
const clockToleranceSeconds = 5;

/** The reason in a message about a room past its maximum age. */
export const maximumAge = "maximum-age";

/** Returns the state of a room as a row of the platform shows it; undefined stands for a room that does not exist. */
export function stateOf(
  { room, messages }: RoomMessages,
  row: ConferenceRow | undefined,
  unmarkedRooms: UnmarkedRooms,
): RoomState {
  if (isPersistent(room)) return "persistent";
  if (!row) return "gone";
  const isOthers = senderOf({ room, messages }) === "gateway" ? !isRoom(row) : isForeign(row, unmarkedRooms);
  if (isOthers) return "foreign";
  const marker = parseMarker(row.description);
  if (!marker) return "unmarked";
  if (marker.state === "pooled") return "pooled";
  if (messages.some(({ content }) => isOfClaim(content, marker))) return "given-up";
  // Not by the message's age, which is out of date if the collector was suspended since it received the message.
  const wasAssignedLater = Date.parse(marker.since) > messages[0].insertedAt + clockToleranceSeconds * 1000;
  return wasAssignedLater ? "assigned-later" : "assigned-before";
}

function isOfClaim({ claimId }: RoomMessage, marker: Marker | undefined): boolean {
  return claimId !== undefined && claimId === marker?.messageId;
}

/**
 * Returns the message whose age counts: the youngest one, unless a message has the ID of the room's marker. Then it is
 * the oldest one that has it, so that a second one does not restart the delay.
 */
export function decisiveMessage({ messages }: RoomMessages, row: ConferenceRow | undefined): QueueMessage {
  const marker = parseMarker(row?.description);
  return messages.findLast(({ content }) => isOfClaim(content, marker)) ?? messages[0];
}

/** Returns who queued the room: the gateway, if any of the messages says so. */
export function senderOf({ messages }: RoomMessages): "event" | "gateway" {
  return messages.some(({ content }) => content.queuedBy === "gateway") ? "gateway" : "event";
}

/** Returns whether the only reason to delete the room is its age. */
export function isOverdue({ messages }: RoomMessages): boolean {
  return messages.every(({ content }) => content.reason === maximumAge);
}

/** Returns whether a failure affects every room alike, so that this room need not wait longer. */
export function concernsEveryRoom(error: unknown): boolean {
  return error instanceof PlatformError && error.code !== "platform-rejected";
}
