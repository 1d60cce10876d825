/** Ends a history without faults, then checks the queues and the platform against the promises. */

import { decodeRoomMessage, isPersistent, loggableName, parseMarker } from "../../src/lib/ownership/room.ts";
import { deliverEnds } from "./callers.ts";
import type { Task } from "./faults.ts";
import type { HistoryFacts } from "./history.ts";
import type { ShownRoom } from "./simulated-platform.ts";
import type { World } from "./world.ts";

const minute = 60_000;
const hour = 60 * minute;
// A failed message is invisible for ten minutes times its dequeue count.
const maxCollections = 60;
// Longer than storage's default time-to-live, and longer than a room may stay assigned without a conference.
const restMilliseconds = 8 * 24 * hour;

/** Ends faults and conferences, runs the timers, lets eight days pass, and then checks every room. */
export async function settleAndAudit(world: World, facts: HistoryFacts): Promise<void> {
  const { ledger, queues, platform, clock } = world;
  world.setFaults(false);
  for (const name of platform.liveSince().keys()) {
    // A conference of another system may never end.
    if (name.startsWith("foreign")) continue;
    platform.endConference(name);
    void deliverEnds(world, [name], 0, world.planWithoutFaults());
  }
  await clock.advance(30 * minute);
  await endWork(world);
  for (let run = 0; queues.deletion.contents().length > 0; run++) {
    if (run > maxCollections) {
      ledger.violated("ended-room-kept", "the deletion queue does not become empty");
      break;
    }
    await runTimer(world, "collectGarbage");
    await clock.advance(10 * minute);
  }
  await clock.advance(restMilliseconds);
  // The first run may request rooms, the second one counts them.
  await runTimer(world, "collectMetrics");
  await clock.advance(15 * minute);
  await runTimer(world, "collectMetrics");
  await endWork(world);
  checkAccounts(world, facts);
  checkLevel(world, facts);
  checkEndedRooms(world);
}

async function endWork({ clock, running, queues, ledger }: World): Promise<void> {
  const isIdle = () => running.size === 0 && queues.provisioning.contents().length === 0;
  if (!(await clock.advance(2 * hour, isIdle))) {
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
    .runTimer(name, world.planWithoutFaults())
    .then((ending) => {
      if (ending === "died" || "error" in ending)
        world.ledger.violated("timer-failed", `${name} failed without a fault`);
      isDone = true;
    });
  await world.clock.advance(hour, () => isDone);
}

/** Each room is pooled, handed out or counted as unaccounted. A single fault other than a crash loses no room. */
function checkAccounts({ ledger, queues, platform, rows }: World, facts: HistoryFacts): void {
  const pooled = new Set(queues.pool.contents().map(({ text }) => decodeRoomMessage(text).room));
  const lost = ledger
    .ourRooms()
    .filter(({ name }) => !pooled.has(name) && !ledger.handedOut.has(name) && !isPersistent(name))
    .filter((room) => !mayStayUnmarked(ledger, room));
  const counted = rows.at(-1)?.UnaccountedRooms ?? 0;
  // A pooled name without a pooled room counts as a room, which hides a lost one until a claim discards the name.
  const hidden = [...pooled].filter(
    (name) => parseMarker(platform.find(name)?.description)?.state !== "pooled",
  ).length;
  const names = lost.map(({ name }) => name).join(", ");
  if (lost.length > counted + hidden)
    ledger.violated("room-lost", `${lost.length} rooms are lost and ${counted} counted: ${names}`);
  if (facts.isBulkDeleted && !facts.isWithoutFaults) return;
  for (const { name } of lost) {
    if (ledger.finishedMeanwhile.has(name)) continue;
    if (!ledger.leaked.has(name) && !(ledger.handledBy.get(name) ?? []).some(metSeveralFaults))
      ledger.violated(
        "room-lost-by-one-fault",
        `${name} is lost, although no invocation met more than one fault`,
      );
  }
}

/**
 * Whether a room has no marker, and bulk delete cleared its name while it was leased by a call that then failed or
 * stopped. Such a room may stay on the platform (specification 4.1.12).
 */
function mayStayUnmarked({ clearedUnder }: World["ledger"], { name, description }: ShownRoom): boolean {
  const holder = clearedUnder.get(name);
  const isHolderLost = holder && (!holder.process.isAlive || holder.faultsMet.length > 0);
  return isHolderLost === true && parseMarker(description) === undefined;
}

/** Whether an invocation crashed, met two faults (a freeze counts), or made a call that may have taken effect later. */
function metSeveralFaults({ process, faultsMet }: Task): boolean {
  const others =
    process.frozenUntil > 0 ? faultsMet.filter((fault) => fault !== "freeze").length + 1 : faultsMet.length;
  return !process.isAlive || others > 1 || faultsMet.includes("late");
}

/**
 * Checks the level after a refill. The pool may exceed it by one room per claim that was between its commit and its
 * request when the level was measured, or per replacement that waited behind a bulk request, and by one per other
 * process, or with faults per other provisioning run, that measured the same pool.
 */
function checkLevel({ ledger, queues, level, processes }: World, facts: HistoryFacts): void {
  const { isWithoutFaults, isBulkDeleted, removals, maxRequestedLevel } = facts;
  const depth = queues.pool.contents().length;
  const others = (isWithoutFaults ? processes.length : Math.max(1, ledger.peaks.provisions)) - 1;
  const { claims, replacements } = ledger.peaks;
  const max = Math.max(level.max, maxRequestedLevel) + Math.max(claims, replacements) + others;
  if (depth < level.min) ledger.violated("pool-level-wrong", `the pool holds ${depth} rooms after a refill`);
  if (depth > max)
    ledger.violated("pool-level-wrong", `the pool holds ${depth} rooms, but at most ${max} were requested`);
  if (isWithoutFaults && !isBulkDeleted && depth < level.max - removals)
    ledger.violated("pool-level-wrong", `the pool lost rooms without a fault: ${depth} are left`);
}

/** Each room whose end was accepted is deleted, unless there is a recorded reason why it stays. */
function checkEndedRooms({ ledger, platform }: World): void {
  for (const [name, endedAt] of ledger.ended) {
    // A conference that ended before the room was assigned was not its caller's.
    const isAnotherEnd = endedAt < (ledger.assignedAt.get(name) ?? 0);
    const hasReason =
      isPersistent(name) || name.startsWith("foreign") || ledger.keptForReason.has(loggableName(name));
    if (platform.find(name) && !hasReason && !isAnotherEnd)
      ledger.violated("ended-room-kept", `${name} ended and was kept without a reason`);
  }
}
