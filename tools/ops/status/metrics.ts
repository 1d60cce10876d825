/** Measures queues and platform as the gateway's metrics run does, or takes the newest run's row. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Log } from "../../../src/lib/log.ts";
import { type Measurement, measure, oldestAgeOf } from "../../../src/lib/metrics/measurement.ts";
import {
  decodeRoomMessage,
  isOfOtherGateway,
  markedRooms,
  parseMarker,
} from "../../../src/lib/ownership/room.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import type { Queue } from "../../../src/lib/queue.ts";
import { version } from "../../../src/lib/version.ts";
import type { Platform, Target } from "../gateway/target.ts";
import { describeOthers } from "../pool/room-views.ts";
import { isTakenOut } from "../pool/taken-out.ts";
import { silentLog } from "../terminal.ts";

const amount = z.number().nullable().default(null);

// The columns of the metrics row that the screen shows. A value that could not be measured is null.
const rowSchema = z.object({
  TimeGenerated: z.string(),
  PlatformConnected: z.boolean().nullable().default(null),
  PoolDepth: amount,
  DeletionDepth: amount,
  DeletionOldestSeconds: amount,
  ProvisioningDepth: amount,
  PoisonDepth: amount,
  AvailableRooms: amount,
  InUseRooms: amount,
  UnaccountedRooms: amount,
  LiveConferences: amount,
  AlarmCount: amount,
  AlarmNames: z.string().nullable().default(null),
  MaximumRooms: amount,
  PoolMinimum: amount,
});

export interface Metrics {
  readonly row: z.output<typeof rowSchema>;
  /** Undefined if the row is the app's newest one. */
  readonly own: OwnMetrics | undefined;
}

/** What only a measurement of our own knows. */
export type OwnMetrics = Awaited<ReturnType<typeof measureInDetail>>["own"];
export type PoolNames = Awaited<ReturnType<typeof lookUpNames>>;

/**
 * Measures now if there are credentials for the platform. A platform that failed its probe is not asked again.
 * Otherwise uses the newest metrics row. Throws UnreachableError if that cannot be read.
 */
export async function readMetrics(target: Target, probe: () => Promise<unknown>): Promise<Metrics> {
  const { platform, log } = target;
  if (platform) return measureInDetail(target, platform, await probe());
  return { row: rowSchema.parse((await log.newestMetrics()) ?? { TimeGenerated: "" }), own: undefined };
}

async function measureInDetail(target: Target, { conferences, status }: Platform, probeFailure: unknown) {
  const { gatewayName } = target.settings.rooms;
  let rooms: readonly ConferenceRow[] | undefined;
  let platformFailure: { readonly subject: string; readonly error: unknown } | undefined;
  const ask = async <Result>(subject: string, read: () => Promise<Result>): Promise<Result> => {
    if (probeFailure !== undefined) throw probeFailure;
    return read().catch((error: unknown) => {
      platformFailure ??= { subject, error };
      throw error;
    });
  };
  const parts = {
    conferences: {
      list: async () => {
        const rows = await ask("the list of rooms", async () => conferences.list());
        rooms = rows;
        return rows;
      },
    },
    status: {
      liveConferences: async () => ask("the live conferences", async () => status.liveConferences()),
      alarms: async () => ask("the alarms", async () => status.alarms()),
    },
  };
  const startedAt = target.clock.now();
  const peek = async (queue: Queue) => queue.peek().catch(() => []);
  // Before the rooms are listed, because a name is put before its room is made.
  const { pool, provisioning, deletion } = target.queues;
  const [pooled, requests, queued] = await Promise.all([peek(pool), peek(provisioning), peek(deletion)]);
  const measurement = await measureGateway(target, parts, silentLog);
  const row = rowSchema.parse(measurement.row);
  const listed = rooms ?? [];
  const markers = listed.flatMap(({ description }) => parseMarker(description) ?? []);
  return {
    row,
    own: {
      /** The orphaned rooms that can be named. */
      orphaned: measurement.unaccounted?.forgotten ?? [],
      /** The names of the first rooms that visibly wait for their deletion. */
      queued: queued.map(({ text }) => decodeRoomMessage(text).room),
      /** How many of the assigned rooms an operator took out of the pool. */
      takenOut: listed.filter((room) => isTakenOut(room) && !isOfOtherGateway(room, gatewayName)).length,
      /** This gateway's rooms, and when they were going to be listed. */
      rooms: markedRooms(listed, gatewayName),
      startedAt,
      /** Whose other rooms are on the platform, for example `25 rooms of the gateway production`, if there are any. */
      others: describeOthers(markers, gatewayName),
      /** Why the platform's rooms or status could not be read; the first that failed. */
      platformFailure,
      /** What the first names of the pool lead to; undefined if pool or platform could not be read. */
      poolNames: rooms && (await lookUpNames(pooled, rooms, conferences, gatewayName).catch(() => undefined)),
      /** The age of the oldest request that the host has not taken. */
      oldestRequestSeconds: Math.max(0, oldestAgeOf(requests)),
    },
  };
}

/** Returns which of up to 32 names of the pool lead to a room, by the platform's list of rooms. */
async function lookUpNames(
  pooled: readonly { readonly text: string }[],
  rooms: readonly ConferenceRow[],
  conferences: Pick<Platform["conferences"], "findByName">,
  gatewayName: string,
) {
  const listed = new Set(rooms.map(({ name }) => name));
  const names = pooled.map(({ text }) => decodeRoomMessage(text).room);
  const missing = names.filter((name) => !listed.has(name));
  const ofOthers = new Set(
    rooms.filter((room) => isOfOtherGateway(room, gatewayName)).map(({ name }) => name),
  );
  const find = async (name: string | undefined) => name !== undefined && conferences.findByName(name);
  // The names of a pool that is lost, or that was just filled, are not visible, but its rooms are.
  const pooledRoom = markedRooms(rooms, gatewayName).find(({ marker }) => marker.state === "pooled")?.name;
  const found = await find(pooledRoom);
  const foundMissing = await find(missing[0]);
  const contradiction =
    found === undefined
      ? `a look-up by name does not find ${pooledRoom}, which the platform lists`
      : foundMissing && `the platform's list lacks ${missing[0]}, which a look-up by name finds`;
  return {
    total: names.length,
    missing: missing.length,
    /** How many lead to rooms of another gateway, as after a change of GATEWAY_NAME. */
    foreign: names.filter((name) => ofOthers.has(name)).length,
    /** How the platform's list and its look-ups by name contradict each other. */
    contradiction: contradiction || undefined,
  };
}

type PlatformParts = Pick<Parameters<typeof measure>[0], "conferences" | "status">;

/**
 * Measures a gateway as its metrics run does, except which rooms are outdated, which only the app knows. Never throws:
 * a value that cannot be measured is logged and null.
 */
export async function measureGateway(
  { queues, settings, clock }: Target,
  { conferences, status }: PlatformParts,
  log: Log,
): Promise<Measurement> {
  const { gatewayName } = settings.rooms;
  const options = { queues, conferences, status, clock, newId: randomUUID, version, gatewayName };
  const { maxLevel, minLevel } = settings.pool;
  return measure({ ...options, instanceId: "ops", maxLevel, minLevel, fingerprint: "" }, log);
}
