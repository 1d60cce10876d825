/** The lines of `ops status` and `ops doctor`: findings, with their meaning and advice. */
import { count, duration, mark } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { GatewayStatus } from "./read-status.ts";

/** One line of the screen. */
export interface Line {
  readonly name: string;
  /** Undefined if it is neither good nor bad, because it cannot be told. */
  readonly isOk: boolean | undefined;
  readonly found: string;
  /** What to do, with the section of the runbook. */
  readonly advice?: string | undefined;
}

/** Prints the lines, and below each what to do about it. */
export function printLines(lines: readonly Line[], { print, isScreen }: Terminal): void {
  for (const { name, isOk, found, advice } of lines) {
    const state = isOk === undefined ? "??" : isOk ? "ok" : "!!";
    print(`  ${mark(state, isScreen)}  ${name.padEnd(16)}${found}`);
    if (advice !== undefined) print(`${" ".repeat(22)}${isOk === false ? "-> " : ""}${advice}`);
  }
}

const runbook = (section: string, command: string): string =>
  `npm run ops -- ${command}; docs/operations.md#${section}`;
const lowShare = 0.2;
const oldDeletionSeconds = 3600;
const orphanedLimit = 3;
const maxNamed = 3;

/** Returns the lines in the order of the screen. */
export function statusLines(status: GatewayStatus): Line[] {
  const checkLine = (name: string): Line =>
    status.checks.find((check) => check.name === name) ?? { name, ...unknown };
  return [
    checkLine("Gateway"),
    platformLine(status),
    checkLine("Token issuer"),
    checkLine("Contact centre"),
    checkLine("Event sink"),
    poolLine(status),
    checkLine("Provisioning"),
    requestsLine(status),
    poisonLine(status),
    deletionLine(status),
    alarmsLine(status),
    roomsLine(status),
    orphanedLine(status),
    checkLine("Metrics"),
  ];
}

const unknown = { isOk: undefined, found: "unknown" };
const unreadQueue = {
  isOk: false,
  found: "unknown",
  advice: "the queue cannot be read: npm run ops -- doctor",
};

/** Returns a line that needs attention if there is a problem. */
function lineOf(name: string, found: string, problem: string | false): Line {
  return problem === false ? { name, isOk: true, found } : { name, isOk: false, found, advice: problem };
}

function poolLine({ row }: GatewayStatus): Line {
  const name = "Pool";
  const { PoolDepth: depth, MaximumRooms: maximum, PoolMinimum: minimum } = row;
  if (depth === null) return { name, ...unreadQueue };
  const found = `${depth} of ${maximum ?? "?"} rooms${minimum === null ? "" : `, minimum ${minimum}`}`;
  if (depth === 0 && maximum !== 0)
    return lineOf(name, found, `creates return 404: ${runbook("pool-empty-on-claim", "fill")}`);
  const isLow = maximum !== null && depth < lowShare * maximum;
  return lineOf(name, found, isLow && `it is low: ${runbook("pool-low", "fill")}`);
}

function requestsLine({ row: { ProvisioningDepth: depth } }: GatewayStatus): Line {
  const name = "Requests";
  return depth === null
    ? { name, ...unreadQueue }
    : { name, isOk: true, found: `${count(depth, "room")} requested` };
}

function poisonLine({ row: { PoisonDepth: depth } }: GatewayStatus): Line {
  const name = "Poison";
  if (depth === null) return { name, ...unreadQueue };
  return lineOf(
    name,
    `${count(depth, "request")} given up`,
    depth > 0 && runbook("poison-messages", "redrive"),
  );
}

function deletionLine({ row }: GatewayStatus): Line {
  const name = "Deletion";
  const { DeletionDepth: depth, DeletionOldestSeconds: oldest } = row;
  if (depth === null) return { name, ...unreadQueue };
  const isNoneDue = depth > 0 && oldest === null;
  const age = oldest === null ? "" : `, the oldest for ${duration(oldest)}`;
  const found = `${count(depth, "room")} waiting${isNoneDue ? ", none of them due" : age}`;
  const isOld = (oldest ?? 0) > oldDeletionSeconds;
  return lineOf(name, found, isOld && runbook("deletion-queue-old", "collect"));
}

function platformLine({ row }: GatewayStatus): Line {
  const advice = "docs/operations.md#platform-unreachable; npm run ops -- doctor";
  if (row.PlatformConnected !== true) return lineOf("Platform", "cannot be reached", advice);
  if (row.AvailableRooms === null)
    return lineOf("Platform", "connected, but its rooms cannot be read", advice);
  return lineOf("Platform", "connected", false);
}

function alarmsLine({ row: { AlarmCount: alarms, AlarmNames: names } }: GatewayStatus): Line {
  if (alarms === null) return { name: "Alarms", ...unknown };
  if (alarms === 0) return lineOf("Alarms", "none", false);
  return lineOf("Alarms", names ?? String(alarms), "docs/operations.md#platform-alarms");
}

function roomsLine({ row, takenOut }: GatewayStatus): Line {
  const { AvailableRooms: pooled, InUseRooms: assigned, LiveConferences: live } = row;
  if (pooled === null || assigned === null) return { name: "Rooms", ...unknown };
  const waiting = takenOut ? ` (${takenOut} of them taken out of the pool and waiting for deletion)` : "";
  const found = `${pooled} pooled, ${assigned} assigned${waiting}, ${count(live ?? 0, "live conference")}`;
  const advice = row.OutdatedRooms
    ? `${row.OutdatedRooms} made with other settings: npm run ops -- recycle`
    : undefined;
  return { name: "Rooms", isOk: true, found, advice };
}

function orphanedLine({ row, orphaned = [] }: GatewayStatus): Line {
  const name = "Unaccounted";
  const { UnaccountedRooms: total } = row;
  if (total === null) return { name, ...unknown };
  if (total === 0) return lineOf(name, "none", false);
  const names = orphaned.slice(0, maxNamed).map(({ room }) => room);
  const rest = names.length > 0 && total > names.length ? [`${total - names.length} more`] : [];
  const listed = names.length === 0 ? "" : `: ${[...names, ...rest].join(", ")}`;
  return {
    name,
    isOk: total < orphanedLimit,
    found: `${count(total, "room")}${listed}`,
    advice: runbook("rooms-unaccounted", "unaccounted"),
  };
}
