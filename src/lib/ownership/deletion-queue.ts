/** The deletion queue: writes the names of rooms to it, and groups its messages by room. */
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { Clock } from "../ports.ts";
import { type Queue, QueueError, type QueueMessage } from "../queue.ts";
import { decodeRoomMessage, encodeRoomMessage, loggableName, type RoomMessage } from "./room.ts";

/** A room that the gateway, or an operator through it, wants deleted. */
export type GatewayDeletion = Pick<RoomMessage, "room" | "claimId" | "operator"> & {
  readonly reason: string;
};

/** Puts a room on the deletion queue in the gateway's name. Throws QueueError. */
export async function queueForDeletion(
  deletion: Pick<Queue, "put">,
  { room, claimId, reason, operator }: GatewayDeletion,
): Promise<void> {
  await deletion.put(encodeRoomMessage({ room, queuedBy: "gateway", claimId, reason, operator }));
}

/** Puts a room on the queue likewise, but logs `room-leaked` if that fails, because the metrics run counts the room. */
export async function queueForDeletionOrLogLeak(
  deletion: Pick<Queue, "put">,
  room: GatewayDeletion,
  log: Log,
): Promise<void> {
  try {
    await queueForDeletion(deletion, room);
  } catch (error) {
    log.error("room-leaked", { room: room.room }, error);
  }
}

type DeletionMessage = QueueMessage & { readonly content: RoomMessage };

/** One room on the deletion queue, with its messages. */
export interface RoomMessages {
  readonly room: string;
  /** The youngest first. */
  readonly messages: readonly [DeletionMessage, ...DeletionMessage[]];
}

/** Returns the messages by room. */
export function groupByRoom(messages: readonly QueueMessage[]): RoomMessages[] {
  const youngestFirst = messages
    .map((message) => ({ ...message, content: decodeRoomMessage(message.text) }))
    .toSorted((one, other) => other.insertedAt - one.insertedAt);
  const rooms = new Map<string, [DeletionMessage, ...DeletionMessage[]]>();
  for (const message of youngestFirst) {
    const known = rooms.get(message.content.room);
    if (known) known.push(message);
    else rooms.set(message.content.room, [message]);
  }
  return [...rooms].map(([room, ofRoom]) => ({ room, messages: ofRoom }));
}

const maxPerReceive = 32;

/**
 * Receives messages until there are `count` of them or none is visible. Throws QueueError, whatever it has received:
 * the failed receive may have leased a younger message about one of those rooms, and the youngest decides.
 */
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

/** Writes the deletion queue for events, within the time that the platform waits for a response. */
export type DeletionQueueWriter = ReturnType<typeof createDeletionQueueWriter>;

// The platform gives up after 7 s (docs.pexip.com/admin/api_event_sink.htm) and sends the whole body again. A put that
// starts at the last moment may take its own three seconds.
const maxMilliseconds = 2500;

/** Creates the writer of one queue. */
export function createDeletionQueueWriter({ deletion, clock }: { deletion: Queue; clock: Clock }) {
  async function store(name: string, until: number, log: Log): Promise<void> {
    if (clock.now() >= until) throw new QueueError("unknown", "no time left to store all names");
    const room = loggableName(name);
    try {
      await deletion.put(encodeRoomMessage({ room: name }));
      log.info("room-queued-for-deletion", { room });
    } catch (error) {
      // Such a name would be refused at every retry, which would stop the platform's sink.
      if (!(error instanceof QueueError && error.failure === "refused")) throw error;
      log.warn("event-name-refused", { room }, error);
    }
  }

  return {
    /**
     * Queues rooms whose conference has ended. Returns if every name is stored, or was refused permanently. Throws
     * QueueError if some could not be stored; a retry stores all of them again.
     */
    async queueEndedRooms(names: readonly string[], log: Log): Promise<void> {
      const until = clock.now() + maxMilliseconds;
      await forEachParallel(names, async (name) => store(name, until, log));
    },
  };
}
