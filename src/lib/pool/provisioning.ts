/** Makes one room for the pool: its name goes into the queue first, so that no room is ever without one. */
import * as z from "zod";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { ConferenceFields, Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { deleteConfirmed, type Queue, QueueError, type QueueMessage } from "../queues/queue.ts";
import type { RandomSource } from "../random.ts";
import { newGuestPin, newRoomName, toNewConference } from "../rooms/rooms.ts";
import { queueForDeletion } from "./discard.ts";
import type { ProvisioningRequest } from "./replenishment.ts";

export interface Provisioning {
  /**
   * Serves one request from the provisioning queue; `dequeueCount` tells a repeated one. Throws PlatformError or
   * QueueError, after which nothing is left behind that a later claim or the metrics would not find.
   */
  provision(request: unknown, dequeueCount: number, log: Log): Promise<void>;
}

export interface ProvisioningOptions {
  readonly pool: Queue;
  readonly provisioning: Pick<Queue, "count">;
  readonly deletion: Queue;
  readonly conferences: Pick<Conferences, "create" | "findByName">;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly hostPin: string;
  readonly template: ConferenceFields;
  readonly maxRooms: number;
  readonly readyDelaySeconds: number;
  readonly leaseSeconds: number;
  readonly platformTimeoutSeconds: number;
}

const ProvisioningMessage: z.ZodType<ProvisioningRequest> = z.discriminatedUnion("reason", [
  z.object({ reason: z.literal("claimed") }),
  z.object({ reason: z.enum(["healing", "bulk"]), upTo: z.int().min(0) }),
]);

const maxHiddenSeconds = 600;
const lookUpPauseMilliseconds = 2000;

export function createProvisioning(options: ProvisioningOptions): Provisioning {
  const { pool, conferences, clock, random, hostPin, template, platformTimeoutSeconds } = options;
  // 30 s and 60 s with the default time limit of 10 s; both together stay below the time the name is hidden.
  const createSeconds = 3 * platformTimeoutSeconds;
  const lookUpSeconds = 6 * platformTimeoutSeconds;
  const hiddenSeconds = Math.min(
    maxHiddenSeconds,
    Math.max(2 * options.leaseSeconds, 12 * platformTimeoutSeconds),
  );

  async function provision(request: unknown, dequeueCount: number, log: Log): Promise<void> {
    const wanted = ProvisioningMessage.safeParse(request);
    if (!wanted.success) {
      log.error("provisioning-request-malformed");
      return;
    }
    if (await isEnough(wanted.data, dequeueCount)) {
      log.info("provisioning-dropped", { reason: wanted.data.reason, dequeueCount });
      return;
    }
    const name = newRoomName(random);
    const hiddenUntil = clock.now() + hiddenSeconds * 1000;
    const message = await pool.put(name, { invisibleSeconds: hiddenSeconds });
    await createRoom(message, hiddenUntil, log);
    await makeReady(message, hiddenUntil, log);
    log.info("room-provisioned", { room: name, reason: wanted.data.reason });
  }

  async function isEnough(wanted: ProvisioningRequest, dequeueCount: number): Promise<boolean> {
    if (wanted.reason === "claimed") return dequeueCount > 1 && (await pool.count()) >= options.maxRooms;
    const pooled = await pool.count();
    if (pooled >= wanted.upTo || (dequeueCount > 1 && pooled >= options.maxRooms)) return true;
    // Waiting replacements will fill the pool without this one, which is on the queue itself.
    return wanted.reason === "healing" && pooled + (await options.provisioning.count()) - 1 >= wanted.upTo;
  }

  async function createRoom(message: QueueMessage, hiddenUntil: number, log: Log): Promise<void> {
    const name = message.text;
    // Once the name can be seen, a claim may have found no room and discarded it.
    const startBefore = hiddenUntil - (createSeconds + lookUpSeconds) * 1000;
    const guestPin = newGuestPin(hostPin, random);
    const since = new Date(clock.now()).toISOString();
    const fields = toNewConference({ name, hostPin, guestPin, template, since });
    try {
      await conferences.create(fields, { timeoutSeconds: createSeconds, startBefore });
    } catch (error) {
      const mayExist = !(error instanceof PlatformError) || error.outcome === "unknown";
      if (mayExist && (await appears(name))) {
        log.warn("room-adopted", { room: name }, error);
        return;
      }
      const outcome = await deleteConfirmed(pool, message);
      log.error("provisioning-failed", { room: name, message: outcome }, error);
      throw error;
    }
  }

  /** Whether a room whose creation got no good answer turns out to be there after all. */
  async function appears(name: string): Promise<boolean> {
    const until = clock.now() + lookUpSeconds * 1000;
    for (;;) {
      const isThere = await conferences.findByName(name).then(
        (room) => room !== undefined,
        () => false,
      );
      if (isThere) return true;
      if (clock.now() + lookUpPauseMilliseconds >= until) return false;
      await clock.sleep(lookUpPauseMilliseconds);
    }
  }

  /** Lets claims see the name once the platform has replicated the room; should this fail, time does it. */
  async function makeReady(message: QueueMessage, hiddenUntil: number, log: Log): Promise<void> {
    try {
      await pool.setInvisible(message, options.readyDelaySeconds);
    } catch (error) {
      log.warn("room-not-made-visible", { room: message.text }, error);
      const isGone = error instanceof QueueError && error.failure === "message-gone";
      // Gone while it was hidden: bulk delete has emptied the pool, and nobody can be given this room any more. Later
      // than that, a claim may have taken it, and the room is a caller's.
      if (isGone && clock.now() < hiddenUntil) await queueForDeletion(options.deletion, message.text, log);
    }
  }

  return { provision };
}
