/** Decides by a table what happens to a room that an event, the gateway or an operator wants to have deleted. */
import type { LogFields } from "../log.ts";
import type { RoomMessages } from "../ownership/deletion-queue.ts";
import {
  isForeign,
  isOfOtherGateway,
  isPersistent,
  isRoom,
  type Marker,
  type OwnershipRules,
  parseMarker,
} from "../ownership/room.ts";
import type { ConferenceRow } from "../platform/conferences.ts";

/**
 * What happens to a room that is not young, by its state and by the sender of the request.
 * - `keep`: only the messages are deleted.
 * - `delete`: the room is deleted and then its messages. If it is live, only the messages, because another event
 *   follows.
 * - `delete-after-conference`: the same, but the messages wait if it is live, because an event would keep the room.
 */
export const decisions = {
  "other-gateway": { event: "keep", gateway: "keep" },
  persistent: { event: "keep", gateway: "keep" },
  gone: { event: "keep", gateway: "keep" },
  foreign: { event: "keep", gateway: "keep" },
  // The room was in the pool, so no caller had its conference. If the gateway queued it, its pool message is deleted.
  pooled: { event: "keep", gateway: "delete-after-conference" },
  // Events about it may be ignored, by the setting or because the room shows another owner.
  unmarked: { event: "delete", gateway: "delete-after-conference" },
  // The marker has the ID of the message: the claim that wrote both gave the room up, and no clock has to be compared.
  "given-up": { event: "keep", gateway: "delete-after-conference" },
  "assigned-before": { event: "delete", gateway: "delete" },
  "assigned-later": { event: "keep", gateway: "keep" },
} as const satisfies Record<string, Record<Sender, "delete" | "delete-after-conference" | "keep">>;

/**
 * `event`: its conference has ended. `gateway`: the gateway or an operator gave the room up, so no claim can get it.
 */
export type Sender = "event" | "gateway";

/** The state in which a room is found. */
type RoomState = keyof typeof decisions;

/** Who wants a room to be deleted, and what they know about its claims. */
export interface DeletionRequest {
  readonly room: string;
  readonly sender: Sender;
  /** Whether the only reason is the room's age. */
  readonly isOverdue: boolean;
  /** The reason and the operator, for the log. */
  readonly logFields?: LogFields;
  /** Whether the claim that wrote the marker has given the room up. */
  readonly isGivenUp: (marker: Marker) => boolean;
  /** Whether the marker was written for a caller after the request. */
  readonly isAssignedLater: (marker: Marker) => boolean;
}

/**
 * What happens to the room of a row, and why if it stays. `postpone`: nothing may happen to it or to its messages yet.
 */
export interface Decision {
  readonly action: "delete" | "keep" | "postpone";
  readonly reason: RoomState | "live" | "vanished";
  readonly row: ConferenceRow | undefined;
  /** The action if the room is live. */
  readonly actionIfLive: "keep" | "postpone";
}

/** Decides about a room as a row of the platform shows it; undefined stands for a room that does not exist. */
export function decide(
  request: DeletionRequest,
  row: ConferenceRow | undefined,
  ownership: OwnershipRules,
): Decision {
  const reason = stateOf(request, row, ownership);
  const decision = decisions[reason][request.sender];
  // A later run queues an overdue room again.
  const waits = decision === "delete-after-conference" && !request.isOverdue;
  const action = decision === "keep" ? "keep" : "delete";
  return { action, reason, row, actionIfLive: waits ? "postpone" : "keep" };
}

function stateOf(
  { room, sender, isGivenUp, isAssignedLater }: DeletionRequest,
  row: ConferenceRow | undefined,
  { gatewayName, unmarkedRooms }: OwnershipRules,
): RoomState {
  if (row && isOfOtherGateway(row, gatewayName)) return "other-gateway";
  if (isPersistent(room)) return "persistent";
  if (!row) return "gone";
  // The gateway and its operators name only rooms that nobody else can get, whoever they seem to belong to.
  if (sender === "gateway" ? !isRoom(row) : isForeign(row, unmarkedRooms)) return "foreign";
  const marker = parseMarker(row.description);
  if (!marker) return "unmarked";
  if (marker.state === "pooled") return "pooled";
  if (isGivenUp(marker)) return "given-up";
  return isAssignedLater(marker) ? "assigned-later" : "assigned-before";
}

/** The tolerance for the clocks of instances and storage, which differ by seconds; the queue's times are whole ones. */
export const clockToleranceMilliseconds = 5000;

/** The reason in a message about a room past its maximum age. */
export const maximumAge = "maximum-age";

/** Returns what the messages about a room ask for: the gateway asks if any of them says so. The youngest one counts. */
export function requestOf({ room, messages }: RoomMessages): DeletionRequest {
  const contents = messages.map(({ content }) => content);
  // The message's age is not used: it is out of date if the collector was suspended since it received the message.
  const assignedLaterThan = messages[0].insertedAt + clockToleranceMilliseconds;
  const ofGateway = contents.find(({ queuedBy }) => queuedBy === "gateway");
  const { reason: why, operator } = ofGateway ?? {};
  return {
    room,
    sender: ofGateway ? "gateway" : "event",
    logFields: { ...(why && { reason: why }), ...(operator && { operator }) },
    isOverdue: contents.every(({ reason }) => reason === maximumAge),
    isGivenUp: ({ messageId }) =>
      messageId !== undefined && contents.some(({ claimId }) => claimId === messageId),
    isAssignedLater: ({ since }) => Date.parse(since) > assignedLaterThan,
  };
}
