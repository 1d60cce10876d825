/** `ops unaccounted`: rooms that are neither in the pool nor in use. */
import * as z from "zod";
import type { ForgottenRoom } from "../../../src/lib/metrics/measurement.ts";
import { encodeQueuedName, isPersistent } from "../../../src/lib/pool/room.ts";
import { defineCommand } from "../command.ts";
import { UnreachableError } from "../failures.ts";
import { measureTarget } from "../measure-target.ts";
import { flag, yes } from "../options.ts";
import { deletionTime } from "../pool/deletion-time.ts";
import type { LogReader } from "../target/log-reader.ts";
import type { Target } from "../target/target.ts";
import { type CommandLog, createCommandLog } from "../terminal/command-log.ts";
import { count, duration, table } from "../terminal/format.ts";

interface Unaccounted {
  readonly forgotten: readonly ForgottenRoom[];
  /** Unaccounted rooms without a name. */
  readonly unnamed: number;
}

export const unaccounted = defineCommand({
  name: "unaccounted",
  summary: "lists rooms that are neither in the pool nor in use, and has them deleted",
  details: [
    "A room is listed if it was handed out more than 24 hours ago and no conference is running. The garbage collection",
    "checks each room again before it deletes it. Without a login for the platform, the list is that of the app's last",
    "metrics run.",
  ],
  options: { delete: flag("queues the listed rooms for deletion"), yes },
  run: async ({ options }, { terminal, connect, stopping }) => {
    const target = await connect();
    const { forgotten, unnamed } = await readUnaccounted(target, createCommandLog(terminal));
    if (forgotten.length > 0)
      for (const line of table([["NAME", "HANDED OUT"], ...forgotten.map(rowOf)])) terminal.print(line);
    if (unnamed > 0)
      terminal.print(
        `${count(unnamed, "room")} marked as pooled beyond the pool. Rooms that wait for their deletion count until then; ` +
          "others can be named when the pool is empty: npm run ops -- drain",
      );
    if (forgotten.length + unnamed === 0) {
      terminal.print("Every room is accounted for.");
      return "ok";
    }
    if (!options.delete || forgotten.length === 0) return "finding";
    const deletable = forgotten.filter(({ room }) => !isPersistent(room));
    if (!options.yes) {
      terminal.print(`Would delete ${count(deletable.length, "room")}. Do it with --delete --yes.`);
      return "finding";
    }
    let queued = 0;
    for (const { room } of deletable) {
      if (stopping.aborted) break;
      await target.queues.deletion.put(encodeQueuedName({ room }));
      queued += 1;
    }
    terminal.print(`${count(queued, "room")} will be deleted ${deletionTime(target.settings)}.`);
    terminal.print("Do not run this again before that: a room that is queued again waits from then on.");
    if (stopping.aborted) return "interrupted";
    return unnamed === 0 && queued === forgotten.length ? "ok" : "finding";
  },
});

function rowOf({ room, ageHours }: ForgottenRoom): string[] {
  return [room, ageHours === null ? "at an unknown time" : `${duration(ageHours * 3600)} ago`];
}

async function readUnaccounted(target: Target, log: CommandLog): Promise<Unaccounted> {
  const { platform } = target;
  if (!platform) return readFromLog(target.log);
  const { unaccounted: found } = await measureTarget(target, platform, undefined, log);
  if (found) return { forgotten: found.forgotten, unnamed: found.beyondPool };
  throw new UnreachableError(
    "The rooms cannot be compared with the queues; the lines above say what does not respond.",
  );
}

const roomSchema = z.object({
  invocationId: z.string(),
  room: z.string(),
  reason: z.enum(["assigned-too-long", "assigned-at-unknown-time"]),
  ageHours: z.number().nullable(),
});
const restSchema = z.object({ invocationId: z.string(), count: z.number() });

/** The newest metrics run decides; it logs nothing if all rooms are accounted for. */
async function readFromLog(reader: LogReader): Promise<Unaccounted> {
  const events = ["metrics-collected", "room-unaccounted", "rooms-unaccounted-unnamed"];
  const lines = await reader.lines({ hours: 1, events });
  const run = lines.findLast(({ fields }) => fields["event"] === "metrics-collected")?.fields["invocationId"];
  if (run === undefined)
    throw new UnreachableError(
      "No metrics run is in the log of the last hour: docs/operations.md#timers-not-running.",
    );
  const ofRun = lines.map(({ fields }) => fields).filter(({ invocationId }) => invocationId === run);
  return {
    forgotten: ofRun.flatMap((fields) => roomSchema.safeParse(fields).data ?? []),
    unnamed: ofRun
      .flatMap((fields) => restSchema.safeParse(fields).data?.count ?? [])
      .reduce((sum, next) => sum + next, 0),
  };
}
