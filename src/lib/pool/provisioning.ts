/** Provisions one room for the pool. Its name is queued first, so no room is ever without a name in a queue. */
import PQueue from "p-queue";
import * as z from "zod";
import type { Log } from "../log.ts";
import type { ConferenceFields, ConferenceRow, Conferences } from "../platform/conferences.ts";
import { describeFailure, PlatformError } from "../platform/errors.ts";
import {
  type Clock,
  deleteConfirmed,
  type Queue,
  QueueError,
  type QueueMessage,
  type RandomSource,
  timestampOf,
} from "../ports.ts";
import { queueForDeletionOrLogLeak } from "./deletion-queue.ts";
import { newGuestPin, newRoomName, toNewConference } from "./new-room.ts";
import { isDialable } from "./room.ts";

/**
 * The schema of a request. `claimed` replaces a room that was handed out, and has no level. `bulk` is dropped if the pool
 * holds `upTo` rooms when the request is served. Release 1.0 also wrote `healing`, which means the same.
 */
export const provisioningRequest = z.union([
  z.object({ reason: z.literal("claimed") }),
  z.object({ reason: z.enum(["bulk", "healing"]), upTo: z.int().min(0) }),
]);
export type ProvisioningRequest = z.output<typeof provisioningRequest>;

const maxInvisibleSeconds = 600;

/**
 * Returns the timeout of the POST that creates a room, how long provisioning looks for a room whose creation had an
 * unknown outcome, and how long the new name is invisible to claims: longer than the other two together. With the default
 * timeout (10 s) and lease (300 s) these are 30 s, 60 s and 600 s.
 */
export function provisioningTimes(platformTimeoutSeconds: number, leaseSeconds: number) {
  return {
    createSeconds: 3 * platformTimeoutSeconds,
    lookUpSeconds: 6 * platformTimeoutSeconds,
    invisibleSeconds: Math.min(maxInvisibleSeconds, Math.max(2 * leaseSeconds, 12 * platformTimeoutSeconds)),
  };
}

/** Provisions rooms. */
export interface Provisioning {
  /**
   * Serves one request from the provisioning queue; `dequeueCount` is above 1 for a retry. Throws PlatformError or
   * QueueError. Whatever is left behind then is found by a later claim or counted by the metrics run.
   */
  provision(request: unknown, dequeueCount: number, log: Log): Promise<void>;
}

/** The dependencies of provisioning, and the settings of new rooms. */
export interface ProvisioningOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "create" | "delete" | "findByName">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hostPin: string;
  readonly template: ConferenceFields;
  readonly maxRooms: number;
  readonly readyDelaySeconds: number;
  readonly leaseSeconds: number;
  readonly platformTimeoutSeconds: number;
}

const lookUpPauseMilliseconds = 2000;

/** Creates the handler of provisioning requests. */
export function createProvisioning(options: ProvisioningOptions): Provisioning {
  const { pool, conferences, clock, random, hostPin, template, platformTimeoutSeconds } = options;
  const { createSeconds, lookUpSeconds, invisibleSeconds } = provisioningTimes(
    platformTimeoutSeconds,
    options.leaseSeconds,
  );

  // One request at a time counts the pool and puts its name. A level can be exceeded by other instances only, each of
  // which may put one name between this count and this put.
  const turns = new PQueue({ concurrency: 1 });

  async function provision(message: unknown, dequeueCount: number, log: Log): Promise<void> {
    const request = provisioningRequest.safeParse(message).data;
    if (!request) {
      log.error("provisioning-request-malformed");
      return;
    }
    const queued = await turns.add(async () => putName(request, dequeueCount));
    if (!queued) {
      log.info("provisioning-dropped", { reason: request.reason, dequeueCount });
      return;
    }
    const { name, invisibleUntil } = queued;
    await provisionRoom(name, invisibleUntil, log);
    await makeReady(name, invisibleUntil, log);
    log.info("room-provisioned", { room: name.text, reason: request.reason });
  }

  /** Puts a new name unless the pool is full enough for this request. */
  async function putName(request: ProvisioningRequest, dequeueCount: number) {
    if (await isEnough(request, dequeueCount)) return undefined;
    const invisibleUntil = clock.now() + invisibleSeconds * 1000;
    const name = await pool.put(newRoomName(random), { invisibleSeconds });
    return { name, invisibleUntil };
  }

  /** Counts names, including leased and invisible ones. */
  async function isEnough(request: ProvisioningRequest, dequeueCount: number): Promise<boolean> {
    if (request.reason !== "claimed") return (await pool.count()) >= request.upTo;
    // Only a retried replacement looks at the maximum: its first try may have made the room.
    return options.maxRooms === 0 || (dequeueCount > 1 && (await pool.count()) >= options.maxRooms);
  }

  async function provisionRoom(message: QueueMessage, invisibleUntil: number, log: Log): Promise<void> {
    const name = message.text;
    // Once the name is visible, a claim may find no room and discard it.
    const startBefore = invisibleUntil - (createSeconds + lookUpSeconds) * 1000;
    const guestPin = newGuestPin(hostPin, random);
    const since = timestampOf(clock);
    const fields = toNewConference({ name, hostPin, guestPin, template, since });
    try {
      await conferences.create(fields, { timeoutSeconds: createSeconds, startBefore });
    } catch (error) {
      const isUnknown = !(error instanceof PlatformError) || error.outcome === "unknown";
      const room = isUnknown ? await waitForRoom(name) : await roomLeftBehind(name, error);
      if (isUnknown && room && isDialable(room)) {
        log.warn("room-adopted", { room: name }, error);
        return;
      }
      const isLeft = room !== undefined && !(await isHalfMadeDeleted(room, log));
      const outcome = await deleteConfirmed(pool, message);
      // Otherwise its name leads to the room.
      if (isLeft && (outcome === "deleted" || outcome === "gone"))
        await queueForDeletionOrLogLeak(options.deletion, { room: name, reason: "half-made" }, log);
      log.error("provisioning-failed", { room: name, message: outcome, ...describeFailure(error) }, error);
      throw error;
    }
  }

  /** Waits until the room is on the platform and complete; then returns what was found last. */
  async function waitForRoom(name: string): Promise<ConferenceRow | undefined> {
    const until = clock.now() + lookUpSeconds * 1000;
    let last: ConferenceRow | undefined;
    for (;;) {
      last = await conferences.findByName(name).catch(() => last);
      const isOver = clock.now() + lookUpPauseMilliseconds >= until;
      if (isOver || (last && isDialable(last))) return last;
      await clock.sleep(lookUpPauseMilliseconds);
    }
  }

  /** A refused POST can leave the room without its alias behind, because the platform stores them one after the other. */
  async function roomLeftBehind(name: string, error: PlatformError): Promise<ConferenceRow | undefined> {
    if (error.platformStatus !== 400) return undefined;
    return conferences.findByName(name).catch(() => undefined);
  }

  /** Before its name is deleted, so the name leads to the room if this process stops here. */
  async function isHalfMadeDeleted({ id, name }: ConferenceRow, log: Log): Promise<boolean> {
    try {
      await conferences.delete(id);
      log.warn("half-made-room-deleted", { room: name });
      return true;
    } catch (error) {
      log.warn("half-made-room-not-deleted", { room: name }, error);
      return false;
    }
  }

  /** Makes the name visible once the platform has replicated the room. If this fails, the name becomes visible later. */
  async function makeReady(message: QueueMessage, invisibleUntil: number, log: Log): Promise<void> {
    try {
      await pool.setInvisible(message, options.readyDelaySeconds);
    } catch (error) {
      log.warn("room-not-made-visible", { room: message.text }, error);
      const isGone = error instanceof QueueError && error.failure === "message-gone";
      // Gone while it was invisible: bulk delete has emptied the pool, and no claim can receive this room. Once the
      // name was visible, a claim may have received it, and the room is a caller's.
      if (isGone && clock.now() < invisibleUntil)
        await queueForDeletionOrLogLeak(
          options.deletion,
          { room: message.text, reason: "pool-cleared" },
          log,
        );
    }
  }

  return { provision };
}
