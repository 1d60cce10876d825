/** Ends a history in quiet, and compares what queues and platform then hold with what was promised. */
import { parseMarker } from "../../src/lib/rooms/marker.ts";
import { isPersistent } from "../../src/lib/rooms/ownership.ts";
import { deliverEnds } from "./callers.ts";
import { type History, isCalm } from "./history.ts";
import { maxRooms, minRooms } from "./processes.ts";
import type { Task } from "./task.ts";
import type { World } from "./world.ts";

const minute = 60_000;
const hour = 60 * minute;
// A message that failed is hidden for ten minutes times its dequeue count.
const maxCollections = 60;
// Longer than a message would live by the storage's default, and than a room may stay assigned unseen.
const restMilliseconds = 8 * 24 * hour;

/** Faults end, meetings end, timers run, and more than a week goes by; then everything is counted. */
export async function settleAndAudit(world: World, history: History): Promise<void> {
  const { ledger, queues, table, scheduler } = world;
  world.setFaults(false);
  for (const name of table.liveSince.keys()) void deliverEnds(world, [name], 0, world.quietPlan());
  table.liveSince.clear();
  await scheduler.advance(30 * minute);
  await endWork(world);
  for (let run = 0; queues.deletion.contents().length > 0; run++) {
    if (run > maxCollections) {
      ledger.violated("I8", "the deletion queue does not empty");
      break;
    }
    await runTimer(world, "collectGarbage");
    await scheduler.advance(10 * minute);
  }
  await scheduler.advance(restMilliseconds);
  // The first run may ask for rooms, the second counts.
  await runTimer(world, "collectMetrics");
  await scheduler.advance(15 * minute);
  await runTimer(world, "collectMetrics");
  await endWork(world);
  checkAccounts(world, history);
  checkLevel(world, history);
  checkEndedRooms(world);
}

async function endWork({ scheduler, running, queues, ledger }: World): Promise<void> {
  const isIdle = () => running.size === 0 && queues.provisioning.contents().length === 0;
  if (!(await scheduler.advance(2 * hour, isIdle))) {
    ledger.violated(
      "harness",
      `still running: ${[...running].map(({ functionName }) => functionName).join(", ")}`,
    );
  }
}

async function runTimer(world: World, name: "collectGarbage" | "collectMetrics"): Promise<void> {
  let isDone = false;
  void world
    .process(0)
    .runTimer(name, world.quietPlan())
    .then((ending) => {
      if (ending === "died" || "error" in ending)
        world.ledger.violated("I6", `${name} fails without a fault`);
      isDone = true;
    });
  await world.scheduler.advance(hour, () => isDone);
}

/** Every room of ours is pooled, handed out, or counted as unaccounted; no single fault but a death loses one. */
function checkAccounts({ ledger, queues, table }: World, history: History): void {
  const pooled = new Set(queues.pool.contents().map(({ text }) => text));
  const lost = ledger
    .ourRooms()
    .filter(({ name }) => !pooled.has(name) && !ledger.handedOut.has(name) && !isPersistent(name))
    .filter(({ name }) => !ledger.tampered.has(name));
  const counted = ledger.metricsRows.at(-1)?.UnaccountedRooms ?? 0;
  // Of a name in the pool whose room is not marked as pooled, the depth of the pool tells one room too many: it hides a
  // lost one until a claim meets the name.
  const hidden = [...pooled].filter(
    (name) => parseMarker(table.find(name)?.description)?.state !== "pooled",
  ).length;
  const names = lost.map(({ name }) => name).join(", ");
  if (lost.length > counted + hidden)
    ledger.violated("G2", `${lost.length} rooms are lost and ${counted} counted: ${names}`);
  const isBulkDeleted = history.steps.some(({ command }) => command.kind === "bulk-delete");
  if (isBulkDeleted && !isCalm(history)) return;
  for (const { name } of lost) {
    if (!ledger.leaked.has(name) && !(ledger.touches.get(name) ?? []).some(wasHitHard))
      ledger.violated("I3", `${name} is lost, though less than two things went wrong in any invocation`);
  }
}

/** Whether an invocation died, met two faults, its sleep counted, or made a call that may have landed unseen. */
function wasHitHard({ process, faultsMet }: Task): boolean {
  const others =
    process.frozenUntil > 0 ? faultsMet.filter((fault) => fault !== "freeze").length + 1 : faultsMet.length;
  return !process.isAlive || others > 1 || faultsMet.includes("late");
}

/**
 * The level after a refill. Above what was asked for may stand: one room for each claim that was between its commit and
 * its request when a level was measured, and one for each provisioning run beside the first that measured the same pool.
 */
function checkLevel({ ledger, queues, peakOf }: World, history: History): void {
  const depth = queues.pool.contents().length;
  const levels = history.steps.map(({ command }) =>
    command.kind === "bulk-create" ? (command.level ?? 0) : 0,
  );
  const most = Math.max(maxRooms, ...levels) + peakOf("create") + Math.max(0, peakOf("provision") - 1);
  if (depth < minRooms) ledger.violated("G5", `the pool holds ${depth} rooms after a refill`);
  if (depth > most) ledger.violated("G5", `the pool holds ${depth} rooms, ${most} at most were asked for`);
  const isEmptied = history.steps.some(({ command }) => command.kind === "bulk-delete");
  // A healing request counts a room in the making twice, as its request and as its name, and is then not made.
  const least = maxRooms - ledger.discards();
  if (isCalm(history) && !isEmptied && depth < least)
    ledger.violated("G5", `the pool has lost rooms without a fault: ${depth} are left`);
}

/** What the sink has accepted is gone, or there is a reason why it stays. */
function checkEndedRooms({ ledger, table }: World): void {
  for (const [name, endedAt] of ledger.ended) {
    // What ended before a room was assigned was not its caller's conference.
    const isAnotherEnd = endedAt < (ledger.assignedAt.get(name) ?? 0);
    const hasReason = isPersistent(name) || name.startsWith("foreign") || ledger.recordedReasons.has(name);
    if (table.find(name) && !hasReason && !isAnotherEnd && !ledger.tampered.has(name))
      ledger.violated("I8", `${name} has ended and is still there without a reason`);
  }
}
