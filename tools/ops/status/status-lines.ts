/** The lines of `ops status`: each value with what it means and what to do. */
import { age, count, duration } from "../terminal/format.ts";
import type { GatewayStatus } from "./gateway-status.ts";

/** One line of the screen. */
export interface StatusLine {
  readonly label: string;
  readonly value: string;
  /** What needs attention, with the section of the runbook. */
  readonly problem?: string | undefined;
  /** What could be done. */
  readonly hint?: string | undefined;
}

const runbook = (section: string, command: string): string =>
  `npm run ops -- ${command}; docs/operations.md#${section}`;
const lowShare = 0.2;
const oldDeletionSeconds = 3600;
const unaccountedLimit = 3;
const metricsLateMilliseconds = 15 * 60_000;

/** Returns the lines in the order of the screen. */
export function statusLines(status: GatewayStatus, now: number): StatusLine[] {
  return [
    poolLine(status),
    requestsLine(status),
    poisonLine(status),
    deletionLine(status),
    platformLine(status),
    alarmsLine(status),
    roomsLine(status),
    unaccountedLine(status),
    metricsLine(status, now),
  ];
}

/** The value of what cannot be read. It is neither good nor bad. */
export const unknown = "unknown";

const unreadQueue = { value: unknown, problem: "the queue cannot be read: npm run ops -- doctor" };

function poolLine({ row }: GatewayStatus): StatusLine {
  const { PoolDepth: depth, MaximumRooms: maximum, PoolMinimum: minimum } = row;
  if (depth === null) return { label: "Pool", ...unreadQueue };
  const value = `${depth} of ${maximum ?? "?"} rooms${minimum === null ? "" : `, minimum ${minimum}`}`;
  if (depth === 0 && maximum !== 0)
    return { label: "Pool", value, problem: `creates return 404: ${runbook("pool-empty-on-claim", "fill")}` };
  const isLow = maximum !== null && depth < lowShare * maximum;
  return { label: "Pool", value, ...(isLow && { problem: `it is low: ${runbook("pool-low", "fill")}` }) };
}

function requestsLine({ row, provisioningFailures }: GatewayStatus): StatusLine {
  const label = "Requests";
  const { ProvisioningDepth: depth } = row;
  if (depth === null) return { label, ...unreadQueue };
  const value = `${count(depth, "room")} requested`;
  if (!provisioningFailures) return { label, value };
  return {
    label,
    value: `${value}, ${count(provisioningFailures, "failure")} in 15 min`,
    problem: "rooms cannot be provisioned: docs/operations.md#provisioning-failing",
  };
}

function poisonLine({ row: { PoisonDepth: depth } }: GatewayStatus): StatusLine {
  const label = "Poison";
  if (depth === null) return { label, ...unreadQueue };
  const value = `${count(depth, "request")} given up`;
  return { label, value, ...(depth > 0 && { problem: runbook("poison-messages", "redrive") }) };
}

function deletionLine({ row }: GatewayStatus): StatusLine {
  const label = "Deletion";
  const { DeletionDepth: depth, DeletionOldestSeconds: oldest } = row;
  if (depth === null) return { label, ...unreadQueue };
  const value = `${count(depth, "room")} waiting${oldest === null ? "" : `, the oldest for ${duration(oldest)}`}`;
  const isOld = (oldest ?? 0) > oldDeletionSeconds;
  return { label, value, ...(isOld && { problem: runbook("deletion-queue-old", "collect") }) };
}

function platformLine({ row }: GatewayStatus): StatusLine {
  const label = "Platform";
  const problem = "docs/operations.md#platform-unreachable; npm run ops -- doctor";
  if (row.PlatformConnected !== true) return { label, value: "cannot be reached", problem };
  if (row.AvailableRooms === null)
    return { label, value: "connected, but its rooms cannot be read", problem };
  return { label, value: "connected" };
}

function alarmsLine({ row: { AlarmCount: alarms, AlarmNames: names } }: GatewayStatus): StatusLine {
  const label = "Alarms";
  if (alarms === null) return { label, value: unknown };
  if (alarms === 0) return { label, value: "none" };
  return { label, value: names ?? String(alarms), problem: "docs/operations.md#platform-alarms" };
}

function roomsLine({ row }: GatewayStatus): StatusLine {
  const label = "Rooms";
  const {
    AvailableRooms: pooled,
    InUseRooms: assigned,
    LiveConferences: live,
    OutdatedRooms: outdated,
  } = row;
  if (pooled === null || assigned === null) return { label, value: unknown };
  const value = `${pooled} pooled, ${assigned} assigned, ${count(live ?? 0, "live conference")}`;
  if (!outdated) return { label, value };
  return { label, value, hint: `${outdated} made with other settings: npm run ops -- recycle` };
}

function unaccountedLine({
  row: { UnaccountedRooms: unaccounted },
  forgotten = [],
}: GatewayStatus): StatusLine {
  const label = "Unaccounted";
  if (unaccounted === null) return { label, value: unknown };
  if (unaccounted === 0) return { label, value: "none" };
  const names = forgotten.slice(0, 3).map(({ room }) => room);
  const rest = unaccounted - names.length;
  const value = [
    count(unaccounted, "room"),
    ...names,
    ...(names.length > 0 && rest > 0 ? [`${rest} more`] : []),
  ];
  const advice = runbook("rooms-unaccounted", "unaccounted");
  return {
    label,
    value: value
      .join(", ")
      .replace(", ", ": ")
      .replace(/: (?=\d+ more$)/, ", "),
    ...(unaccounted < unaccountedLimit ? { hint: advice } : { problem: advice }),
  };
}

function metricsLine({ metricsTime }: GatewayStatus, now: number): StatusLine {
  const label = "Metrics";
  const problem = "docs/operations.md#timers-not-running";
  if (metricsTime === undefined) return { label, value: "no row in the last day", problem };
  const value = `the last row is ${age(metricsTime, now)} old`;
  const isLate = now - Date.parse(metricsTime) > metricsLateMilliseconds;
  return { label, value, ...(isLate && { problem }) };
}
