/** The deletion queue: writes the names of ended rooms to it, and groups its messages by room. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import type { ConferenceRow } from "../platform/conferences.ts";
import { type Clock, type Queue, QueueError, type QueueMessage, type RandomSource } from "../ports.ts";
import { decodeQueuedName, encodeQueuedName, parseMarker, type QueuedName } from "./room.ts";

export interface EndedRooms {
  /**
   * Returns if every name is stored, or was refused permanently. Throws QueueError if some could not be stored; a retry
   * with an equal `body` then skips the names that were.
   */
  queueForDeletion(names: readonly string[], body: unknown, log: Log): Promise<void>;
}

export interface EndedRoomsOptions {
  readonly deletion: Queue;
  readonly clock: Clock;
  readonly random: RandomSource;
}

// The platform gives up after 7 s (docs.pexip.com/admin/api_event_sink.htm) and sends the whole body again. A put that
// starts at the last moment may take its own three seconds.
const maxMilliseconds = 2500;
// The platform stops its sink after back-offs of half an hour.
const rememberedMilliseconds = 3600_000;
const maxRememberedBodies = 100;

/** Creates the writer of the deletion queue for events. What it remembers of unfinished bodies is its instance's own. */
export function createEndedRooms({ deletion, clock, random }: EndedRoomsOptions): EndedRooms {
  // By the body and not by the name: a second end of the same room has another sequence number or time.
  const storedNames = new LRUCache<string, Set<string>>({
    max: maxRememberedBodies,
    ttl: rememberedMilliseconds,
    perf: clock,
  });

  async function store(name: string, until: number, log: Log): Promise<void> {
    if (clock.now() >= until) throw new QueueError("unknown", "no time left to store all names");
    try {
      await deletion.put(encodeQueuedName({ room: name }));
      log.info("room-queued-for-deletion", { room: name });
    } catch (error) {
      // Such a name would be refused at every retry, which would stop the platform's sink.
      if (!(error instanceof QueueError && error.failure === "refused")) throw error;
      log.warn("event-name-refused", { room: name }, error);
    }
  }

  return {
    async queueForDeletion(names, body, log) {
      // Most bodies end no room, and none of them needs the hash.
      if (names.length === 0) return;
      const until = clock.now() + maxMilliseconds;
      const key = createHash("sha256").update(JSON.stringify(body)).digest("base64");
      const stored = storedNames.get(key) ?? new Set<string>();
      // In another order each time, so that a body too large for the time makes progress on other instances too.
      const missing = shuffle(
        names.filter((name) => !stored.has(name)),
        random,
      );
      storedNames.set(key, stored);
      await forEachParallel(missing, async (name) => {
        await store(name, until, log);
        stored.add(name);
      });
      storedNames.delete(key);
    },
  };
}

function shuffle(names: readonly string[], random: RandomSource): string[] {
  const shuffled = [...names];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = random.integerBelow(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] ?? "", shuffled[last] ?? ""];
  }
  return shuffled;
}

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

/** Puts a name on the deletion queue; logs `room-leaked` if that fails, because the metrics run counts the room. */
export async function queueForDeletionOrLogLeak(deletion: Queue, name: QueuedName, log: Log): Promise<void> {
  try {
    await deletion.put(encodeQueuedName(name));
  } catch (error) {
    log.error("room-leaked", { room: name.room }, error);
  }
}
