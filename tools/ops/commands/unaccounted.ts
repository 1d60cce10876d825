/** `ops unaccounted`: orphaned rooms, which are neither in the pool nor in use. */
import { Option } from "@commander-js/extra-typings";
import type { ForgottenRoom } from "../../../src/lib/metrics/measurement.ts";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { isPersistent } from "../../../src/lib/ownership/room.ts";
import { count, deletionTime, duration, table } from "../../terminal/format.ts";
import type { Context, Operator } from "../operator-program.ts";
import { type Outcome, UsageError } from "../outcomes.ts";
import { measureTarget, silentLog } from "../status/measured.ts";
import { requirePlatform, type TargetWithPlatform } from "../target/target.ts";
import { withProgress } from "../terminal/terminal.ts";
import { type ClearOptions, clearGateway } from "./clear-gateway.ts";

interface Orphaned {
  /** Rooms that were handed out and have no conference. */
  readonly named: readonly ForgottenRoom[];
  /** The number of others. They include pooled rooms that are in no queue, which cannot be named. */
  readonly unnamed: number;
}

export function addUnaccounted({ command, run }: Operator): void {
  command(
    "unaccounted",
    "lists rooms that are neither in the pool nor in use, and has them deleted",
    "A room is listed if it was handed out more than 24 hours ago and no conference is running. The garbage collection " +
      "checks each room again before it deletes it.",
  )
    .option("--delete", "Queues the listed rooms for deletion; with --gateway, deletes them at once.")
    .option(
      "--gateway <name>",
      "Lists the rooms of another gateway that no longer exists, instead of this gateway's.",
    )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .addOption(
      new Option("--json", "Prints one JSON object. It cannot be combined with --delete.").conflicts(
        "delete",
      ),
    )
    .action(run(unaccounted));
}

interface UnaccountedOptions extends ClearOptions {
  readonly gateway?: string;
}

async function unaccounted(options: UnaccountedOptions, context: Context): Promise<Outcome> {
  if (options.yes && !options.delete) throw new UsageError("--yes needs --delete");
  return options.gateway === undefined
    ? listOrphaned(options, context)
    : clearGateway(options.gateway, options, context);
}

async function listOrphaned(options: ClearOptions, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping } = context;
  const target = requirePlatform(await connect());
  const { named, unnamed } = await readOrphaned(target);
  const isNone = named.length + unnamed === 0;
  if (options.json) {
    terminal.print(JSON.stringify({ rooms: named, unnamed }));
    return isNone ? "ok" : "finding";
  }
  if (isNone) {
    terminal.print("Every room is accounted for.");
    return "ok";
  }
  if (named.length > 0)
    for (const line of table([["NAME", "HANDED OUT"], ...named.map(rowOf)])) terminal.print(line);
  if (unnamed > 0)
    terminal.print(
      `${count(unnamed, "room")} marked as pooled beyond the pool. Rooms count until they are deleted; ` +
        "the others can be listed when the pool is empty: docs/operations.md#rooms-unaccounted",
    );
  if (!options.delete || named.length === 0) return "finding";
  const deletable = named.filter(({ room }) => !isPersistent(room));
  if (!options.yes) {
    terminal.print(`Would delete ${count(deletable.length, "room")}. Do it with --delete --yes.`);
    return "finding";
  }
  const queued = await queueAll(target, deletable, context);
  terminal.print(`${count(queued, "room")} will be deleted ${deletionTime(target.settings)}.`);
  terminal.print(
    "Do not run this again before then: a room that is queued again waits for the full time again.",
  );
  if (stopping.aborted) return "interrupted";
  return unnamed === 0 && queued === named.length ? "ok" : "finding";
}

/** Returns how many rooms it has queued: fewer if the command is interrupted. */
async function queueAll(
  { queues, operatorId }: TargetWithPlatform,
  rooms: readonly ForgottenRoom[],
  { terminal, stopping }: Context,
): Promise<number> {
  const operator = await operatorId();
  return withProgress(terminal, "rooms queued for deletion", rooms.length, async (show) => {
    let queued = 0;
    for (const { room } of rooms) {
      if (stopping.aborted) break;
      await queueForDeletion(queues.deletion, { room, reason: "ops unaccounted", operator });
      queued += 1;
      show(queued);
    }
    return queued;
  });
}

function rowOf({ room, ageHours }: ForgottenRoom): string[] {
  return [room, ageHours === null ? "at an unknown time" : `${duration(ageHours * 3600)} ago`];
}

async function readOrphaned(target: TargetWithPlatform): Promise<Orphaned> {
  let failure: unknown;
  const log = {
    ...silentLog,
    warn: (_event: string, _fields?: object, cause?: unknown) => (failure = cause),
  };
  const { unaccounted: found } = await measureTarget(target, target.platform, undefined, log);
  if (!found) throw failure;
  return { named: found.forgotten, unnamed: found.beyondPool };
}
