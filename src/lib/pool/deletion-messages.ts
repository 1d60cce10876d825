/** The messages of the deletion queue, grouped by room, and what their age says about it. */
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { Queue, QueueMessage } from "../ports.ts";
import { parseMarker } from "./marker.ts";
import { decodeQueuedName } from "./queued-name.ts";

// The queue counts in whole seconds, and the clocks of instances and storage differ by a few.
const clockToleranceSeconds = 5;

const maxPerReceive = 32;

/** Receives messages until there are `count` of them or none is visible. */
export async function receiveUpTo(
  queue: Pick<Queue, "receive">,
  count: number,
  leaseSeconds: number,
): Promise<QueueMessage[]> {
  const messages: QueueMessage[] = [];
  while (messages.length < count) {
    const batch = await queue.receive(Math.min(maxPerReceive, count - messages.length), leaseSeconds);
    messages.push(...batch);
    if (batch.length === 0) break;
  }
  return messages;
}

/** What the deletion queue holds about one room. */
export interface EndedRoom {
  readonly room: string;
  readonly youngest: QueueMessage;
  readonly older: QueueMessage[];
  /** Whether any of the messages says so. */
  isQueuedByGateway: boolean;
}

/**
 * Whether the room was handed out after its message was queued: the conference that ended was not this caller's. Does
 * not use the message's age, which is out of date if the collector was suspended since it received the message.
 */
export function isAssignedAfter({ description }: ConferenceRow, { insertedAt }: QueueMessage): boolean {
  const marker = parseMarker(description);
  return marker?.state === "assigned" && Date.parse(marker.since) > insertedAt + clockToleranceSeconds * 1000;
}

/** The same name twice is one room: its youngest message decides about all. */
export function groupByRoom(messages: readonly QueueMessage[]): EndedRoom[] {
  const rooms = new Map<string, EndedRoom>();
  for (const message of messages.toSorted((one, other) => other.insertedAt - one.insertedAt)) {
    const { room, queuedBy } = decodeQueuedName(message.text);
    const isQueuedByGateway = queuedBy === "gateway";
    const known = rooms.get(room);
    if (!known) {
      rooms.set(room, { room, youngest: message, older: [], isQueuedByGateway });
      continue;
    }
    known.older.push(message);
    known.isQueuedByGateway ||= isQueuedByGateway;
  }
  return [...rooms.values()];
}
