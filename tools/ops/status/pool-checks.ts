/** The pool, its queues and its rooms, as they were measured. */

import { loggableName } from "../../../src/lib/ownership/room.ts";
import { collectorPauseSeconds, count, duration } from "../../terminal/format.ts";
import { type Finding, judged, runbook, unknown } from "./line.ts";
import { causeOf, recentHours, recentMinutes, unknownLog } from "./log-history.ts";
import type { PoolNames } from "./metrics.ts";
import { listedAfter, type Reading } from "./reading.ts";

const lowShare = 0.2;
const orphanedLimit = 3;
const maxNamed = 3;
/** How many messages a queue shows. */
const maxPeeked = 32;
/** A run of the collector receives each message that is due. */
const missedRunSeconds = collectorPauseSeconds + 60;
/** After repeated failures, a room waits for up to six hours. */
const deletionHours = 6;
/** A room waits for its deletion for at most 20 minutes. */
const waitingHours = 0.5;
/** Reasons to discard a name, which do not queue a room for its deletion. */
const onlyNames = ["room-missing", "other-gateway", "unmarked-room-without-alias"];

export async function checkPool({ metrics, creates }: Reading): Promise<Finding> {
  const { row, own } = await metrics();
  const { PoolDepth: depth, MaximumRooms: maximum, PoolMinimum: minimum } = row;
  if (depth === null) return unknown;
  const found = `${depth} of ${maximum ?? "?"} rooms${minimum === null ? "" : `, minimum ${minimum}`}`;
  if (maximum === 0) {
    const isUnused = (await creates()).length === 0;
    const advice = `set MAX_VMR: ${runbook("pool-empty-on-claim")}`;
    return judged(isUnused, `${found}: switched off (MAX_VMR 0)`, advice);
  }
  const isRequested = maximum !== null && depth + (row.ProvisioningDepth ?? 0) >= maximum;
  const cure = isRequested || own?.poolNames?.contradiction !== undefined ? undefined : "fill";
  const emptyAdvice = `creates return 404: ${runbook("pool-empty-on-claim", cure)}`;
  if (depth === 0) return judged(false, found, emptyAdvice);
  if (maximum !== null && depth > maximum) {
    const advice = `${depth - maximum} more than MAX_VMR, which does no harm: npm run ops -- shrink ${maximum}`;
    return { isOk: true, found, advice };
  }
  const isLow = maximum !== null && depth < lowShare * maximum;
  return judged(!isLow, found, `it is low: ${runbook("pool-low", cure)}`);
}

/** A host that runs takes a request within a second; it may start an instance first, or fill a large pool. */
const untakenSeconds = 30;

export async function checkRequests({ metrics }: Reading): Promise<Finding> {
  const { row, own } = await metrics();
  const { ProvisioningDepth: depth } = row;
  if (depth === null) return unknown;
  const found = `${count(depth, "room")} requested`;
  const waitingSeconds = own?.oldestRequestSeconds ?? 0;
  if (waitingSeconds <= untakenSeconds) return { isOk: true, found };
  const advice = `does the platform fail to make rooms in time, or is provisionRoom disabled? ${runbook("provisioning-failing")}`;
  return { isOk: false, found: `${found}, one for ${duration(waitingSeconds)}`, advice };
}

export async function checkPoison({ metrics }: Reading): Promise<Finding> {
  const { PoisonDepth: depth } = (await metrics()).row;
  if (depth === null) return unknown;
  return judged(depth === 0, `${count(depth, "request")} given up`, runbook("poison-messages", "fill"));
}

export async function checkDeletion(reading: Reading): Promise<Finding> {
  const { limits } = reading.target;
  const { row } = await reading.metrics();
  const { DeletionDepth: depth, DeletionOldestSeconds: oldest } = row;
  if (depth === null) return unknown;
  const isNoneDue = depth > 0 && oldest === null;
  const oldestAge = oldest === null ? "" : `, the oldest for ${duration(oldest)}`;
  const found = `${count(depth, "room")} waiting${isNoneDue ? ", none of them due" : oldestAge}`;
  const advice = runbook("deletion-queue-old");
  const isLate = (oldest ?? 0) > limits["deletion-queue-old"].seconds;
  const fault = await faultOfDeletions(reading).catch(() => undefined);
  if (fault === undefined) return judged(!isLate, `${found}${unknownLog}`, advice);
  return judged(fault === "" && !isLate, `${found}${fault}`, advice);
}

/** Returns what is wrong with deletions by the log, or nothing. */
async function faultOfDeletions(reading: Reading): Promise<string> {
  const { log } = reading.target;
  const { DeletionDepth: depth, DeletionOldestSeconds: oldest } = (await reading.metrics()).row;
  const events = ["deletion-failed", "room-deleted", "deletion-skipped"];
  const lines = await log.lines({ hours: deletionHours, events });
  // A failure is over when that room is deleted, not when another one is.
  const latest = Map.groupBy(lines, ({ fields }) => fields["room"]).values();
  const ends = [...latest].flatMap((ofRoom) => ofRoom.at(-1) ?? []);
  const failed = ends.filter(({ fields }) => fields["event"] === "deletion-failed");
  const newest = failed.at(-1);
  const kept = (await listedAfter("room-deleted", reading)).length;
  if (kept > 0) return `; the platform still lists ${count(kept, "room")} that it confirmed as deleted`;
  if (newest && depth !== 0) return `; ${count(failed.length, "room")} failed: ${causeOf(newest)}`;
  if ((oldest ?? 0) <= missedRunSeconds) return "";
  const runs = await log.lines({ hours: recentHours, functions: ["collectGarbage"] });
  return runs.length === 0 ? `; the collector has not run for ${recentMinutes} min` : "";
}

export async function checkAlarms({ metrics }: Reading): Promise<Finding> {
  const { AlarmCount: alarms, AlarmNames: names } = (await metrics()).row;
  if (alarms === null) return unknown;
  return judged(alarms === 0, alarms === 0 ? "none" : (names ?? String(alarms)), runbook("platform-alarms"));
}

export async function checkRooms({ metrics, newestRow }: Reading): Promise<Finding> {
  const { row, own } = await metrics();
  const newest = await newestRow().catch(() => undefined);
  const outdated = Number(newest?.["OutdatedRooms"] ?? 0);
  const { takenOut = 0, others } = own ?? {};
  const { AvailableRooms: pooled, InUseRooms: assigned, LiveConferences: live } = row;
  if (pooled === null || assigned === null) return unknown;
  const waiting = takenOut > 0 ? ` (${takenOut} of them taken out of the pool and waiting for deletion)` : "";
  const ofOthers = others === undefined ? "" : `; ${others}`;
  const found = `${pooled} pooled, ${assigned} assigned${waiting}, ${count(live ?? 0, "live conference")}${ofOthers}`;
  const names = own?.poolNames && judgeNames(own.poolNames);
  if (names) return { ...names, found: `${found}; ${names.found}` };
  const untold = (row.PoolDepth ?? 0) - (row.ProvisioningDepth ?? 0) - pooled;
  if (untold >= 2 && untold > lowShare * (row.PoolDepth ?? 0))
    return { isOk: undefined, found: `${found}; ${row.PoolDepth} names in the pool` };
  if (outdated === 0) return { isOk: true, found };
  const advice = `${outdated} made with other settings: ${runbook("changing-the-room-template")}`;
  return { isOk: true, found, advice };
}

/** Returns what is wrong with the names of the pool, or undefined. */
function judgeNames({ total, missing, foreign, contradiction }: PoolNames): Finding | undefined {
  const advice = runbook("names-without-rooms");
  const ofTotal = `of ${total} names in the pool`;
  if (contradiction !== undefined) return { isOk: false, found: contradiction, advice };
  if (foreign >= 2) {
    const before = "before the first create, set GATEWAY_NAME back";
    return judged(false, `${foreign} ${ofTotal} are of another gateway's rooms`, `${before}; ${advice}`);
  }
  if (missing < 2) return undefined;
  const cure = missing > total / 2 ? "npm run ops -- shrink 0 --yes, then fill" : "creates drop these names";
  const restored = "after a restore of the platform: docs/deployment.md#upgrading-or-restoring-the-platform";
  return judged(false, `${missing} ${ofTotal} have no room`, `${cure}; ${restored}; ${advice}`);
}

export async function checkUnaccounted(reading: Reading): Promise<Finding> {
  const { row, own } = await reading.metrics();
  const { UnaccountedRooms: total } = row;
  if (total === null) return unknown;
  if (total === 0) return { isOk: true, found: "none" };
  const names = (own?.orphaned ?? []).slice(0, maxNamed).map(({ room }) => room);
  const rest = names.length > 0 && total > names.length ? [`${total - names.length} more`] : [];
  const listed = names.length === 0 ? "" : `: ${[...names, ...rest].join(", ")}`;
  const isBeyondPool = own !== undefined && names.length === 0;
  const found = `${count(total, "room")}${isBeyondPool ? " marked as pooled, but in no queue" : listed}`;
  // Without the log, the platform may have lost changes: the cure would then delete rooms that callers have.
  const untold = { isOk: undefined, found: `${found}${unknownLog}` };
  return judgeUnaccounted(reading, { total, found, isBeyondPool }).catch(() => untold);
}

interface Unaccounted {
  readonly total: number;
  readonly found: string;
  readonly isBeyondPool: boolean;
}

async function judgeUnaccounted(reading: Reading, { total, found, isBeyondPool }: Unaccounted) {
  const { log } = reading.target;
  const advice = runbook("rooms-unaccounted", "unaccounted");
  const handedOut = (await listedAfter("room-claimed", reading)).filter(
    ({ marker }) => marker.state === "pooled",
  );
  if (handedOut.length > 0) {
    const contradiction = `${count(handedOut.length, "room")} handed out and still marked as pooled`;
    return { isOk: false, found: contradiction, advice: runbook("changes-without-effect") };
  }
  const { waiting, unseen } = await waitingForDeletion(reading);
  const remaining = total - waiting;
  const known = waiting > 0 ? `${found}; ${waiting} of them wait for deletion` : found;
  if (remaining === 0) return { isOk: true, found: known };
  if (remaining < orphanedLimit)
    return { isOk: true, found: waiting > 0 ? known : `${found}; ${orphanedLimit} need attention`, advice };
  // A room that a claim gave up is still marked as pooled while it waits for its deletion.
  const discarded = await log.lines({ hours: waitingHours, events: ["room-discarded", "claim-lost"] });
  const givenUp = discarded.filter(({ fields }) => !onlyNames.includes(String(fields["reason"])));
  const mayWait = unseen + (isBeyondPool ? givenUp.length : 0);
  if (remaining - mayWait < orphanedLimit)
    return { isOk: undefined, found: `${known}, which may be among those that wait for deletion` };
  return { isOk: false, found: known, advice };
}

/** Returns how many unaccounted rooms wait for deletion, and how many messages about rooms could not be seen. */
async function waitingForDeletion({ target: { log }, metrics }: Reading) {
  const { row, own } = await metrics();
  if (!own) return { waiting: 0, unseen: 0 };
  const queued = new Set(own.queued);
  // The collector hides a message until the room is old enough.
  const skipped = await log.lines({ hours: waitingHours, events: ["deletion-skipped"] });
  const young = skipped.filter(({ fields }) => fields["reason"] === "young");
  const hidden = new Set(young.map(({ fields }) => fields["room"]));
  const pooled = own.rooms.filter(({ marker }) => marker.state === "pooled");
  const names = [...own.orphaned.map(({ room }) => room), ...pooled.map(({ name }) => name)];
  const waiting = names.filter((name) => queued.has(name) || hidden.has(loggableName(name)));
  const unseen = own.queued.length < maxPeeked ? 0 : (row.DeletionDepth ?? 0) - maxPeeked;
  return { waiting: waiting.length, unseen };
}
