/** `ops collect`: one run of the garbage collection, now. */
import { systemClock } from "../../src/lib/clock.ts";
import { createGarbageCollection } from "../../src/lib/pool/garbage-collection.ts";
import { defineCommand } from "../command.ts";
import { requirePlatform } from "../require-platform.ts";
import { createCommandLog } from "../terminal/command-log.ts";
import { count, duration, table } from "../terminal/format.ts";
import { yes } from "../yes.ts";

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
        `Would collect up to ${count(maxMessages, "room")}; rooms that ended less than ${duration(minAgeSeconds)} ago stay. Do it with --yes.`,
      );
      return "ok";
    }
    const log = createCommandLog(terminal);
    const collection = createGarbageCollection({
      deletion,
      ...platform,
      clock: systemClock,
      ...target.settings.garbage,
    });
    const failure = await collection.collect(log).catch((error: unknown) => error);
    const handled = log.lines.filter(({ event }) => event === "room-deleted" || event === "deletion-skipped");
    const rows = handled.map(({ event, fields }) => [
      String(fields["room"]),
      event === "room-deleted" ? "deleted" : `kept: ${String(fields["reason"])}`,
    ]);
    for (const line of table(rows)) terminal.print(line);
    const deleted = handled.filter(({ event }) => event === "room-deleted").length;
    terminal.print(`${count(deleted, "room")} deleted; ${await deletion.count()} are waiting.`);
    // A run that could do nothing throws the platform's own error; one that failed in part an AggregateError.
    if (failure === undefined) return "ok";
    if (failure instanceof AggregateError) return "finding";
    throw failure;
  },
});
