/** The lines of `ops status`: each value with what it means and what to do. */
import { age, count, duration } from "../terminal/format.ts";
import type { GatewayStatus } from "./read-status.ts";

/** One line of the screen. */
interface StatusLine {
  readonly label: string;
  readonly value: string;
  /** What needs attention, with the section of the runbook. */
  readonly problem?: string | undefined;
  /** What could be done. */
  readonly hint?: string | undefined;
  /** Whether the value is neither good nor bad, because it cannot be read. */
  readonly isUnknown?: boolean;
}

const runbook = (section: string, command: string): string =>
  `npm run ops -- ${command}; docs/operations.md#${section}`;
const lowShare = 0.2;
const oldDeletionSeconds = 3600;
const orphanedLimit = 3;
const maxNamed = 3;
const metricsLateMilliseconds = 15 * 60_000;

/** Returns the lines in the order of the screen. */
export function statusLines(status: GatewayStatus, now: number): StatusLine[] {
  return [
    checkLine("Gateway", status),
    platformLine(status),
    checkLine("Token issuer", status),
    checkLine("Contact centre", status),
    checkLine("Event sink", status),
    poolLine(status),
    checkLine("Provisioning", status),
    requestsLine(status),
    poisonLine(status),
    deletionLine(status),
    alarmsLine(status),
    roomsLine(status),
    orphanedLine(status),
    metricsLine(status, now),
  ];
}

const unknown = { value: "unknown", isUnknown: true };

function checkLine(label: string, { checks }: GatewayStatus): StatusLine {
  const check = checks.find(({ name }) => name === label);
  if (!check) return { label, ...unknown };
  const { isOk, found, advice } = check;
  return { label, value: found, isUnknown: isOk === undefined, ...(isOk === false && { problem: advice }) };
}

const unreadQueue = { value: "unknown", problem: "the queue cannot be read: npm run ops -- doctor" };

function poolLine({ row }: GatewayStatus): StatusLine {
  const { PoolDepth: depth, MaximumRooms: maximum, PoolMinimum: minimum } = row;
  if (depth === null) return { label: "Pool", ...unreadQueue };
  const value = `${depth} of ${maximum ?? "?"} rooms${minimum === null ? "" : `, minimum ${minimum}`}`;
  if (depth === 0 && maximum !== 0)
    return { label: "Pool", value, problem: `creates return 404: ${runbook("pool-empty-on-claim", "fill")}` };
  const isLow = maximum !== null && depth < lowShare * maximum;
  return { label: "Pool", value, ...(isLow && { problem: `it is low: ${runbook("pool-low", "fill")}` }) };
}

function requestsLine({ row: { ProvisioningDepth: depth } }: GatewayStatus): StatusLine {
  const label = "Requests";
  return depth === null ? { label, ...unreadQueue } : { label, value: `${count(depth, "room")} requested` };
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
  const isNoneDue = depth > 0 && oldest === null;
  const age = oldest === null ? "" : `, the oldest for ${duration(oldest)}`;
  const value = `${count(depth, "room")} waiting${isNoneDue ? ", none of them due" : age}`;
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
  if (alarms === null) return { label, ...unknown };
  if (alarms === 0) return { label, value: "none" };
  return { label, value: names ?? String(alarms), problem: "docs/operations.md#platform-alarms" };
}

function roomsLine({ row, takenOut }: GatewayStatus): StatusLine {
  const label = "Rooms";
  const {
    AvailableRooms: pooled,
    InUseRooms: assigned,
    LiveConferences: live,
    OutdatedRooms: outdated,
  } = row;
  if (pooled === null || assigned === null) return { label, ...unknown };
  const waiting = takenOut ? ` (${takenOut} of them taken out of the pool and waiting for deletion)` : "";
  const value = `${pooled} pooled, ${assigned} assigned${waiting}, ${count(live ?? 0, "live conference")}`;
  if (!outdated) return { label, value };
  return { label, value, hint: `${outdated} made with other settings: npm run ops -- recycle` };
}

function orphanedLine({ row, orphaned = [] }: GatewayStatus): StatusLine {
  const label = "Unaccounted";
  const { UnaccountedRooms: total } = row;
  if (total === null) return { label, ...unknown };
  if (total === 0) return { label, value: "none" };
  const names = orphaned.slice(0, maxNamed).map(({ room }) => room);
  const rest = names.length > 0 && total > names.length ? [`${total - names.length} more`] : [];
  const listed = names.length === 0 ? "" : `: ${[...names, ...rest].join(", ")}`;
  const advice = runbook("rooms-unaccounted", "unaccounted");
  return {
    label,
    value: `${count(total, "room")}${listed}`,
    ...(total < orphanedLimit ? { hint: advice } : { problem: advice }),
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
