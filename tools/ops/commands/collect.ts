/** `ops collect`: one run of the garbage collection, now. */

import { createGarbageCollection } from "../../../src/lib/pool/collection.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { createProgress } from "../../local/terminal/progress.ts";
import { type Context, defineCommand } from "../command.ts";
import { yes } from "../options.ts";
import { requirePlatform } from "../require-platform.ts";
import type { Platform, Target } from "../target/target.ts";
import { createCommandLog } from "../terminal/command-log.ts";
import { count, duration, table } from "../terminal/format.ts";

export const collect = defineCommand({
  name: "collect",
  summary: "runs the garbage collection now, with the gateway's own code and settings",
  details: [
    "It deletes what the timer would delete, and keeps what it would keep. It may run beside the timer.",
    "A run handles GC_MAX_MESSAGES rooms; run it again for more.",
  ],
  options: { yes },
  run: async ({ options }, { terminal, connect }) => {
    const target = await connect();
    const platform = requirePlatform(target);
    const { deletion } = target.queues;
    const [depth, oldest] = await Promise.all([deletion.count(), deletion.oldestAgeSeconds()]);
    const { maxMessages, minAgeSeconds } = target.settings.garbage;
    terminal.print(
      `${count(depth, "room")} waiting for deletion${oldest === undefined ? "" : `, the oldest for ${duration(oldest)}`}.`,
    );
    if (depth === 0) return "ok";
    if (!options.yes) {
      terminal.print(
        `Would collect up to ${count(maxMessages, "room")}; rooms that ended less than ${duration(minAgeSeconds)} ago stay. ` +
          "Do it with --yes.",
      );
      return "ok";
    }
    const { failure, rows } = await collectOnce(target, platform, Math.min(depth, maxMessages), terminal);
    for (const line of table(rows)) terminal.print(line);
    const deleted = rows.filter(([, outcome]) => outcome === deletedOutcome).length;
    terminal.print(`${count(deleted, "room")} deleted; ${await deletion.count()} are waiting.`);
    if (failure === undefined) return "ok";
    // One that failed in part throws an AggregateError; one that could do nothing, the platform's or storage's error.
    if (failure instanceof AggregateError) return "finding";
    throw failure;
  },
});

const deletedOutcome = "deleted";

async function collectOnce(target: Target, platform: Platform, total: number, terminal: Context["terminal"]) {
  const progress = createProgress(terminal.progress, "rooms", total);
  const rows: string[][] = [];
  const log = createCommandLog(terminal, ({ event, fields }) => {
    if (event !== "room-deleted" && event !== "deletion-skipped") return;
    const outcome = event === "room-deleted" ? deletedOutcome : `kept: ${String(fields["reason"])}`;
    rows.push([String(fields["room"]), outcome]);
    progress.show(rows.length);
  });
  const collection = createGarbageCollection({
    deletion: target.queues.deletion,
    ...platform,
    clock: systemClock,
    ...target.settings.garbage,
  });
  progress.show(0);
  const failure = await collection.collect(log).then(
    () => undefined,
    (error: unknown) => error,
  );
  progress.end();
  return { failure, rows };
}
