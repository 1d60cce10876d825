/** The pool, its queues and its rooms, as they were measured. */
import { count, duration } from "../terminal/format.ts";
import { type Finding, judged, runbook, unknown } from "./line.ts";
import { causeOf, historyOf, recentHours, recentMinutes } from "./log-history.ts";
import type { Reading } from "./reading.ts";

const lowShare = 0.2;
const oldDeletionSeconds = 3600;
const orphanedLimit = 3;
const maxNamed = 3;

export async function checkPool({ measured }: Reading): Promise<Finding> {
  const { PoolDepth: depth, MaximumRooms: maximum, PoolMinimum: minimum } = (await measured()).row;
  if (depth === null) return unknown;
  const found = `${depth} of ${maximum ?? "?"} rooms${minimum === null ? "" : `, minimum ${minimum}`}`;
  if (depth === 0 && maximum !== 0)
    return judged(false, found, `creates return 404: ${runbook("pool-empty-on-claim", "fill")}`);
  if (maximum !== null && depth > maximum) {
    const advice = `${depth - maximum} more than MAX_VMR, which does no harm: npm run ops -- shrink ${maximum}`;
    return { isOk: true, found, advice };
  }
  const isLow = maximum !== null && depth < lowShare * maximum;
  return judged(!isLow, found, `it is low: ${runbook("pool-low", "fill")}`);
}

export async function checkRequests({ measured }: Reading): Promise<Finding> {
  const { ProvisioningDepth: depth } = (await measured()).row;
  return depth === null ? unknown : { isOk: true, found: `${count(depth, "room")} requested` };
}

export async function checkPoison({ measured }: Reading): Promise<Finding> {
  const { PoisonDepth: depth } = (await measured()).row;
  if (depth === null) return unknown;
  return judged(depth === 0, `${count(depth, "request")} given up`, runbook("poison-messages", "redrive"));
}

export async function checkDeletion({ target: { log }, measured }: Reading): Promise<Finding> {
  const { DeletionDepth: depth, DeletionOldestSeconds: oldest } = (await measured()).row;
  if (depth === null) return unknown;
  const isNoneDue = depth > 0 && oldest === null;
  const oldestAge = oldest === null ? "" : `, the oldest for ${duration(oldest)}`;
  const found = `${count(depth, "room")} waiting${isNoneDue ? ", none of them due" : oldestAge}`;
  const advice = runbook("deletion-queue-old", "collect");
  const lines = await log.lines({ hours: recentHours, events: ["deletion-failed", "room-deleted"] });
  const { failed, newestFailure, isOver } = historyOf(
    lines,
    ({ fields }) => fields["event"] === "deletion-failed",
  );
  if (newestFailure && !isOver)
    return judged(
      false,
      `${found}; ${failed} failed in ${recentMinutes} min: ${causeOf(newestFailure)}`,
      advice,
    );
  return judged((oldest ?? 0) <= oldDeletionSeconds, found, advice);
}

export async function checkAlarms({ measured }: Reading): Promise<Finding> {
  const { AlarmCount: alarms, AlarmNames: names } = (await measured()).row;
  if (alarms === null) return unknown;
  return judged(alarms === 0, alarms === 0 ? "none" : (names ?? String(alarms)), runbook("platform-alarms"));
}

export async function checkRooms({ measured }: Reading): Promise<Finding> {
  const { row, own: { takenOut = 0, others } = {} } = await measured();
  const { AvailableRooms: pooled, InUseRooms: assigned, LiveConferences: live } = row;
  if (pooled === null || assigned === null) return unknown;
  const waiting = takenOut > 0 ? ` (${takenOut} of them taken out of the pool and waiting for deletion)` : "";
  const ofOthers = others === undefined ? "" : `; ${others}`;
  const found = `${pooled} pooled, ${assigned} assigned${waiting}, ${count(live ?? 0, "live conference")}${ofOthers}`;
  // The name of a room that is being provisioned is in the pool before the room exists.
  const missing = (row.PoolDepth ?? 0) - (row.ProvisioningDepth ?? 0) - pooled;
  if (missing >= 2 && missing > lowShare * (row.PoolDepth ?? 0))
    return judged(
      false,
      `${found}: ${missing} names in the pool have no room${others === undefined ? "" : " of this gateway"}`,
      runbook("names-without-rooms"),
    );
  const advice = row.OutdatedRooms
    ? `${row.OutdatedRooms} made with other settings: npm run ops -- recycle`
    : others &&
      "if one is gone: npm run ops -- unaccounted --gateway NAME; docs/operations.md#rooms-of-another-gateway";
  return { isOk: true, found, advice };
}

export async function checkUnaccounted({ measured }: Reading): Promise<Finding> {
  const { row, own } = await measured();
  const { UnaccountedRooms: total } = row;
  if (total === null) return unknown;
  if (total === 0) return { isOk: true, found: "none" };
  const names = (own?.orphaned ?? []).slice(0, maxNamed).map(({ room }) => room);
  const rest = names.length > 0 && total > names.length ? [`${total - names.length} more`] : [];
  const listed = names.length === 0 ? "" : `: ${[...names, ...rest].join(", ")}`;
  const found = `${count(total, "room")}${listed}`;
  const advice = runbook("rooms-unaccounted", "unaccounted");
  // A room that a claim gave up is still marked as pooled while it waits for its deletion.
  if (names.length === 0 && total <= (row.DeletionDepth ?? 0))
    return { isOk: undefined, found: `${found}, which may be among those that wait for deletion` };
  if (total >= orphanedLimit) return { isOk: false, found, advice };
  return { isOk: true, found: `${found}; ${orphanedLimit} need attention`, advice };
}
