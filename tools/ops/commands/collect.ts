/** `ops collect`: one run of the garbage collection, now. */

import { createGarbageCollection } from "../../../src/lib/deletion/collection.ts";
import { oldestAgeOf } from "../../../src/lib/metrics/measurement.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
import type { Queue } from "../../../src/lib/ports.ts";
import { collectorPauseSeconds, count, duration, table } from "../../terminal/format.ts";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { requirePlatform, type TargetWithPlatform } from "../target/target.ts";
import { createCommandLog, withProgress } from "../terminal/terminal.ts";

export function addCollect({ command, run }: Operator): void {
  command(
    "collect",
    "runs the garbage collection now, with the gateway's own code and settings",
    "It deletes what the timer would delete, and keeps what it would keep. It may run beside the timer. A run handles " +
      "GC_MAX_MESSAGES rooms; run it again for more.",
  )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .action(run(collect));
}

async function collect({ yes }: { readonly yes?: true }, { terminal, connect }: Context): Promise<Outcome> {
  const target = requirePlatform(await connect());
  const { deletion } = target.queues;
  const [depth, due] = await Promise.all([deletion.count(), deletion.peek()]);
  const { maxMessages, minAgeSeconds } = target.settings.garbage;
  terminal.print(
    `${count(depth, "room")} waiting for deletion${due.length === 0 ? "" : `, the oldest for ${duration(oldestAgeOf(due))}`}.`,
  );
  if (depth === 0) return "ok";
  if (!yes) {
    terminal.print(
      `Would collect up to ${count(maxMessages, "room")}; rooms that ended less than ${duration(minAgeSeconds)} ago stay. ` +
        "Do it with --yes.",
    );
    return "ok";
  }
  const { failure, rows } = await collectOnce(target, Math.min(depth, maxMessages), terminal);
  for (const line of table(rows)) terminal.print(line);
  const deleted = rows.filter(([, outcome]) => outcome === deletedOutcome).length;
  const left = await deletion.count();
  terminal.print(`${count(deleted, "room")} deleted; ${left} are waiting.`);
  if (left > 0)
    terminal.print(
      `Rooms that are too young, or that another run holds, go within ${duration(minAgeSeconds + collectorPauseSeconds)}; ` +
        "all others can be collected at once.",
    );
  if (failure === undefined) return "ok";
  // A run in which rooms failed throws an AggregateError.
  if (!(failure instanceof AggregateError)) throw failure;
  const unreachable = failure.errors.find(
    (error) => error instanceof PlatformError && error.outcome === "not-sent",
  );
  if (unreachable) throw unreachable;
  return "finding";
}

const deletedOutcome = "deleted";

async function collectOnce(target: TargetWithPlatform, total: number, terminal: Context["terminal"]) {
  const { platform, settings, clock, queues } = target;
  const { garbage, rooms } = settings;
  const rows: string[][] = [];
  const failure = await withProgress(terminal, "rooms", total, async (show) => {
    const log = createCommandLog(terminal, ({ event, fields }) => {
      if (event !== "room-deleted" && event !== "deletion-skipped") return;
      const outcome = event === "room-deleted" ? deletedOutcome : `kept: ${String(fields["reason"])}`;
      rows.push([String(fields["room"]), outcome]);
      show(rows.length);
    });
    const collection = createGarbageCollection({
      deletion: withoutLongPauses(queues.deletion, garbage.minAgeSeconds),
      ...platform,
      clock,
      ...garbage,
      gatewayName: rooms.gatewayName,
      // Only the timer queues overdue rooms.
      maxAgeHours: undefined,
    });
    return collection.collect(log).then(
      () => undefined,
      (error: unknown) => error,
    );
  });
  return { failure, rows };
}

/**
 * A message becomes visible when it is old enough, without a longer delay after failures: the operator removes
 * the cause and runs the command again.
 */
function withoutLongPauses(deletion: Queue, minAgeSeconds: number): Queue {
  return {
    ...deletion,
    setInvisible: async (message, seconds, text) => {
      const untilOldEnough = Math.max(0, Math.ceil(minAgeSeconds - message.ageSeconds));
      await deletion.setInvisible(message, Math.min(seconds, untilOldEnough), text);
    },
  };
}
