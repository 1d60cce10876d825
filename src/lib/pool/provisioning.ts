/** Provisions one room for the pool. Its name is queued first, so no room is ever without a name in a queue. */

import PQueue from "p-queue";
import * as z from "zod";
import type { Log } from "../log.ts";
import { isDialable } from "../ownership/room.ts";
import type { ConferenceFields, ConferenceRow, Conferences } from "../platform/conferences.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import { type Clock, type RandomSource, timestampOf } from "../ports.ts";
import { type Queue, QueueError } from "../queue.ts";
import { createGiveUp, type Held } from "./giving-up.ts";
import { newGuestPin, newRoomName, toNewConference } from "./new-room.ts";

/**
 * The schema of a request. `claimed` replaces a room that was handed out, and has no level. `bulk` is dropped if the
 * pool has reached the level `upTo` when the request is served.
 */
const provisioningRequest = z.union([
  z.object({ reason: z.literal("claimed") }),
  z.object({ reason: z.literal("bulk"), upTo: z.int().min(0) }),
]);
export type ProvisioningRequest = z.output<typeof provisioningRequest>;

const minInvisibleSeconds = 600;
const maxWaitSeconds = 120;
const maxWaitForCleanUpSeconds = 10;

/**
 * Returns the timeout of the POST that creates a room, how long provisioning looks for a room whose creation had an
 * unknown outcome, and how long the new name is invisible to claims: whenever provisioning stops, the platform has
 * stored the room one ready delay before its name becomes visible. With the default timeout (10 s) and a ready delay of
 * up to 390 s these are 30 s, 60 s and 600 s.
 */
export function provisioningTimes(platformTimeoutSeconds: number, readyDelaySeconds: number) {
  const createSeconds = 3 * platformTimeoutSeconds;
  const lookUpSeconds = 6 * platformTimeoutSeconds;
  const storedSeconds = maxWaitSeconds + createSeconds + lookUpSeconds;
  return {
    createSeconds,
    lookUpSeconds,
    invisibleSeconds: Math.max(minInvisibleSeconds, storedSeconds + readyDelaySeconds),
  };
}

export type Provisioning = ReturnType<typeof createProvisioning>;

/** The dependencies of provisioning, and the settings of new rooms. */
export interface ProvisioningOptions {
  readonly pool: Queue;
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "create" | "delete" | "findByName">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hostPin: string;
  readonly template: ConferenceFields;
  readonly gatewayName: string;
  readonly maxLevel: number;
  readonly readyDelaySeconds: number;
  readonly platformTimeoutSeconds: number;
}

const lookUpPauseMilliseconds = 2000;
const firstPauseMilliseconds = 10_000;
// The alert provisioning-failing expects five failures in 30 min.
const maxPauseMilliseconds = 240_000;

/** Returns whether every other room would be rejected, too: for its fields, or for what ROOM_TEMPLATE refers to. */
function concernsAllRooms(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  return error.platformStatus === 404 || rejectedFields(error).length > 0;
}

/** Creates the handler of provisioning requests. */
export function createProvisioning(options: ProvisioningOptions) {
  const { pool, conferences, clock, random, hostPin, template, gatewayName } = options;
  const { platformTimeoutSeconds, readyDelaySeconds } = options;
  const { createSeconds, lookUpSeconds, invisibleSeconds } = provisioningTimes(
    platformTimeoutSeconds,
    readyDelaySeconds,
  );

  const giveUp = createGiveUp(options);

  // One request at a time counts the pool and puts its name. A level can be exceeded by other instances only, each of
  // which may put one name between this count and this put.
  const turns = new PQueue({ concurrency: 1 });

  // The host tries each request again after 30 s. All rooms have the same fields, so if the platform rejects those of
  // one, for example because of its licence, each other try would be in vain, too.
  let pausedAt = 0;
  let pauseMilliseconds = 0;

  /**
   * Serves one request from the provisioning queue; `dequeueCount` is above 1 for a retry. Throws PlatformError or
   * QueueError, and Error during a pause. Whatever is left behind then is found by a later claim or counted by the
   * metrics run.
   */
  async function provision(content: unknown, dequeueCount: number, log: Log): Promise<void> {
    const request = provisioningRequest.safeParse(content).data;
    if (!request) {
      log.error("provisioning-request-malformed");
      return;
    }
    if (isPaused()) throw new Error("paused, because the platform rejected the last room");
    const queued = await turns.add(async () => putName(request, dequeueCount));
    if (!queued) {
      log.info("provisioning-dropped", { reason: request.reason, dequeueCount });
      return;
    }
    await provisionRoom(queued, log);
    if (await makeVisible(queued, log))
      log.info("room-provisioned", { room: queued.message.text, reason: request.reason });
  }

  // Also false after the clock was set back.
  const isPaused = () => Math.abs(clock.now() - pausedAt) < pauseMilliseconds;

  /** Puts a new name, which claims cannot see yet, unless the pool has reached the level of this request. */
  async function putName(request: ProvisioningRequest, dequeueCount: number): Promise<Held | undefined> {
    if (await isEnough(request, dequeueCount)) return undefined;
    const heldUntil = clock.now() + invisibleSeconds * 1000;
    const message = await pool.put(newRoomName(random), { invisibleSeconds });
    return { message, heldUntil };
  }

  /** Counts names, including leased and invisible ones. */
  async function isEnough(request: ProvisioningRequest, dequeueCount: number): Promise<boolean> {
    if (request.reason !== "claimed") return (await pool.count()) >= request.upTo;
    // Only a retried replacement looks at the level: its first try may have made the room.
    return options.maxLevel === 0 || (dequeueCount > 1 && (await pool.count()) >= options.maxLevel);
  }

  async function provisionRoom(held: Held, log: Log): Promise<void> {
    const name = held.message.text;
    // Once the name is visible, a claim may hand the room out, or find no room and discard the name.
    const lastStart = held.heldUntil - (createSeconds + lookUpSeconds + readyDelaySeconds) * 1000;
    const startBefore = Math.min(lastStart, clock.now() + maxWaitSeconds * 1000);
    const guestPin = newGuestPin(hostPin, random);
    const since = timestampOf(clock);
    const fields = toNewConference({ name, hostPin, guestPin, template, since, gatewayName });
    try {
      await conferences.create(fields, { timeoutSeconds: createSeconds, startBefore });
      pauseMilliseconds = 0;
    } catch (error) {
      if (concernsAllRooms(error) && !isPaused()) pause();
      const left = await findLeftover(name, error, held.heldUntil, log);
      if (left === "complete") {
        log.warn("room-adopted", { room: name }, error);
        return;
      }
      const mayExist = left !== "nothing";
      const outcome = await giveUp({ room: name, reason: left, message: held, mayExist }, log);
      log.error("provisioning-failed", { room: name, message: outcome }, error);
      throw error;
    }
  }

  function pause(): void {
    pausedAt = clock.now();
    pauseMilliseconds = Math.min(maxPauseMilliseconds, 2 * pauseMilliseconds || firstPauseMilliseconds);
  }

  /** Returns what a failed creation has left on the platform. A half-made room is deleted if possible. */
  async function findLeftover(name: string, error: unknown, invisibleUntil: number, log: Log) {
    const isUnknown = !(error instanceof PlatformError) || error.outcome === "unknown";
    const room = isUnknown ? await waitForRoom(name, invisibleUntil) : await findRefusedRoom(name, error);
    if (!room) return isUnknown ? "creation-unknown" : "nothing";
    if (isUnknown && isDialable(room)) return "complete";
    // Before its name is deleted, so the name leads to the room if this process stops here.
    return (await deleteHalfMade(room, log)) ? "nothing" : "half-made";
  }

  /** Waits until the room is on the platform and complete; then returns what was found last. */
  async function waitForRoom(name: string, invisibleUntil: number): Promise<ConferenceRow | undefined> {
    const until = Math.min(clock.now() + lookUpSeconds * 1000, invisibleUntil);
    // So that the last look-up has ended before the name is visible.
    const startBefore = until - platformTimeoutSeconds * 1000;
    let last: ConferenceRow | undefined;
    for (;;) {
      last = await conferences.findByName(name, { startBefore }).catch(() => last);
      const isOver = clock.now() + lookUpPauseMilliseconds >= startBefore;
      if (isOver || (last && isDialable(last))) return last;
      await clock.sleep(lookUpPauseMilliseconds);
    }
  }

  /**
   * A refused POST can leave a room behind, because the platform stores it before it looks at its aliases (400) and
   * references (404; seen with django-tastypie 0.15.1), and because the refusal may not be the platform's.
   */
  async function findRefusedRoom(name: string, error: PlatformError): Promise<ConferenceRow | undefined> {
    const { outcome, platformStatus } = error;
    const mayExist = outcome === "refused" && [400, 404, undefined].includes(platformStatus);
    if (!mayExist) return undefined;
    return conferences.findByName(name, cleanUpLimits()).catch(() => undefined);
  }

  /** Returns whether the room was deleted. */
  async function deleteHalfMade({ id, name }: ConferenceRow, log: Log): Promise<boolean> {
    try {
      await conferences.delete(id, cleanUpLimits());
      log.warn("half-made-room-deleted", { room: name });
      return true;
    } catch (error) {
      log.warn("half-made-room-not-deleted", { room: name }, error);
      return false;
    }
  }

  const cleanUpLimits = () => ({ startBefore: clock.now() + maxWaitForCleanUpSeconds * 1000 });

  /**
   * Makes the name visible once the platform has replicated the room, and returns whether it did. If not, it becomes
   * visible later.
   */
  async function makeVisible({ message, heldUntil }: Held, log: Log): Promise<boolean> {
    const room = message.text;
    try {
      await pool.setInvisible(message, readyDelaySeconds);
      return true;
    } catch (error) {
      log.warn("room-not-made-visible", { room }, error);
      const isGone = error instanceof QueueError && error.failure === "message-gone";
      // Gone while it was invisible: bulk delete has emptied the pool, and no claim can receive this room. Once the
      // name was visible, a claim may have received it, and the room is a caller's.
      if (isGone && clock.now() < heldUntil)
        await giveUp({ room, reason: "pool-cleared", message: "gone" }, log);
      return false;
    }
  }

  return { provision };
}
