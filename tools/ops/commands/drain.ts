/** `ops drain`: empties the pool and waits until no conference is running. */
import { Option } from "@commander-js/extra-typings";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { wholeNumber } from "../../terminal/create-command.ts";
import { count } from "../../terminal/format.ts";
import { requirePlatform, type TargetWithPlatform } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { namesToDelete, type RoomView, readRooms } from "../pool/room-views.ts";
import { makeSmaller, showPool, waitFor } from "../pool/with-progress.ts";

// Rooms that are provisioned in the meantime are younger. The clocks of this machine and of the app differ by less.
const clockToleranceMilliseconds = 60_000;
const maxNamed = 10;

export function addDrain({ command, run }: Operator): void {
  command(
    "drain",
    "empties the pool and waits until no conference is running",
    "For use before the platform is replaced or restored. Nobody is interrupted: rooms that were handed out stay until their " +
      "conference ends. Stop the consumers first, and set MAX_VMR to 0: otherwise each create that finds the pool empty " +
      "requests a room. For maintenance that keeps the rooms, --keep-pool only waits.",
  )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .option(
      "--leaked",
      "Also deletes this gateway's rooms that are marked as pooled but in no queue. Rule out a second gateway first: " +
        "docs/operations.md#rooms-unaccounted.",
    )
    .addOption(
      new Option("--keep-pool", "Only waits until no conference is running, and changes nothing.").conflicts(
        "leaked",
      ),
    )
    .option(
      "--timeout-minutes <n>",
      "How long to wait for conferences; 0 does not wait.",
      wholeNumber(0, 10_080),
      60,
    )
    .action(run(drain));
}

type DrainOptions = Flags<"yes" | "leaked" | "keepPool"> & { readonly timeoutMinutes: number };

async function drain(options: DrainOptions, context: Context): Promise<Outcome> {
  const { terminal, connect, conclude } = context;
  const takesLeaked = options.leaked === true;
  const target = requirePlatform(await connect());
  if (options.keepPool) return awaitConferences(target, options.timeoutMinutes, context);
  const { pooled, requested } = await showPool(target, context);
  const { maxRooms } = target.settings.pool;
  if (maxRooms > 0)
    terminal.print(
      `MAX_VMR is ${maxRooms}: set it to 0, or creates and POOL_MINIMUM will request new rooms.`,
    );
  if (!options.yes) {
    const marked = await readPooled(target);
    const beyondPool = Math.max(0, marked.length - pooled);
    const leaked = Math.min(beyondPool, marked.filter(madeBefore(target.clock.now())).length);
    if (leaked > 0) printLeaked(leaked, takesLeaked, terminal);
    const deleted = count(pooled + (takesLeaked ? leaked : 0), "room");
    const canceled = count(requested, "request");
    return conclude("ok", `Would delete ${deleted} and cancel ${canceled}. Do it with --yes.`);
  }
  await target.queues.provisioning.clear();
  const outcome = await emptyPool(target, pooled, takesLeaked, context);
  return outcome === "ok" ? awaitConferences(target, options.timeoutMinutes, context) : outcome;
}

/** Returns "ok" if the pool is empty afterwards. */
async function emptyPool(target: TargetWithPlatform, pooled: number, takesLeaked: boolean, context: Context) {
  const { terminal, stopping, conclude } = context;
  const { pool, provisioning, deletion } = target.queues;
  const retired = await makeSmaller(target, "drain", pooled, context);
  const emptyAt = target.clock.now();
  const [left, requested] = await Promise.all([pool.count(), provisioning.count()]);
  const taken = `${count(retired, "room")} taken out`;
  if (stopping.aborted) return conclude("interrupted", `${taken}; ${left} are still in the pool.`);
  const names = `${count(left, "name")} leased or not ready yet, and ${count(requested, "room")} requested`;
  if (left + requested > 0)
    return conclude("finding", `${taken}. ${names}.\nRun the command again in five minutes.`);
  // The pool is empty, so a room that is still marked as pooled is in no queue, and no claim can get it.
  const leaked = (await readPooled(target)).filter(madeBefore(emptyAt));
  const by = { reason: "ops drain", operator: await target.operatorId() };
  const queued = takesLeaked ? leaked : [];
  for (const { name } of queued) await queueForDeletion(deletion, { room: name, ...by });
  const deleted = count(retired + queued.length, "room");
  terminal.print(`The pool is empty. ${deleted} will be deleted by the garbage collection.`);
  if (leaked.length > 0) printLeaked(leaked.length, takesLeaked, terminal);
  return "ok";
}

/** Returns this gateway's rooms that are marked as pooled, and do not wait for their deletion. */
async function readPooled(target: TargetWithPlatform): Promise<RoomView[]> {
  const waiting = await namesToDelete(target);
  return (await readRooms(target)).filter(
    ({ name, marker }) => marker.state === "pooled" && !waiting.has(name),
  );
}

function madeBefore(time: number) {
  return ({ marker }: RoomView) => Date.parse(marker.since) < time - clockToleranceMilliseconds;
}

function printLeaked(rooms: number, areTaken: boolean, terminal: Context["terminal"]): void {
  terminal.print(
    areTaken
      ? `${rooms} of these rooms ${rooms === 1 ? "is" : "are"} marked as pooled but in no queue.`
      : `${count(rooms, "room")} marked as pooled but in no queue stay without --leaked: docs/operations.md#rooms-unaccounted.`,
  );
}

async function awaitConferences(target: TargetWithPlatform, timeoutMinutes: number, context: Context) {
  const { terminal, stopping, conclude } = context;
  const inState = async (wanted: RoomView["state"]) =>
    (await readRooms(target)).filter(({ state }) => state === wanted).map(({ name }) => name);
  const total = (await inState("live")).length;
  const read = async () => total - (await inState("live")).length;
  const waiting = { label: "conferences ended", total, timeoutMinutes, read };
  if (await waitFor(target, waiting, context)) {
    const assigned = (await inState("assigned")).length;
    terminal.print("No conference is running in a room of the gateway.");
    if (assigned > 0)
      terminal.print(
        `${count(assigned, "room")} handed out and without a conference. List them: npm run ops -- rooms --state assigned`,
      );
    return "ok";
  }
  if (stopping.aborted) return "interrupted";
  const names = await inState("live");
  const named = names.slice(0, maxNamed).join(", ") + (names.length > maxNamed ? ", ..." : "");
  return conclude("finding", `${count(names.length, "conference")} still running: ${named}`);
}
