/** `ops rotate-sink`: which credentials the platform's nodes use for the event sink. */
import { defineCommand } from "../command.ts";
import { number, withDefault } from "../options.ts";
import type { LogLine } from "../target/log-reader.ts";
import { age, count, table } from "../terminal/format.ts";

export const rotateSink = defineCommand({
  name: "rotate-sink",
  summary: "shows whether conferencing nodes still use the event sink's previous credentials",
  details: [
    "Reads the log only; docs/operations.md, Rotating secrets, has the steps. Ends with 0 if all requests came with the",
    "current pair. Choose a time in which every node has sent events: a node without conferences sends none.",
  ],
  options: { hours: withDefault(number("HOURS", "how far back to look", [1, 720]), 1) },
  run: async ({ options: { hours } }, { terminal, connect }) => {
    const target = await connect();
    const lines = await target.log.lines({ hours, events: ["request"], function: "eventSink" });
    if (lines.length === 0) {
      terminal.print(
        `No node has sent anything in the last ${hours} h, so nothing is known: docs/operations.md#event-sink-silent.`,
      );
      return "finding";
    }
    const groups = Map.groupBy(lines, ({ fields }) => pairOf(fields));
    const rows = [...groups].map(([pair, ofPair]) => [pair, String(ofPair.length), lastOf(ofPair)]);
    for (const line of table([["CREDENTIALS", "REQUESTS", "LAST"], ...rows])) terminal.print(line);
    const previous = groups.get("previous");
    const refused = groups.get("refused");
    if (refused)
      terminal.print(
        `${count(refused.length, "request")} refused: a node has other credentials than the gateway. Act at once: docs/operations.md#event-sink-silent.`,
      );
    if (previous)
      terminal.print(
        `The previous pair was used ${lastOf(previous)}: keep it, and let the platform administrator change the sink.`,
      );
    if (previous || refused) return "finding";
    terminal.print(
      `Only the current pair was used in the last ${hours} h. EVENT_SINK_PREVIOUS_USERNAME can be removed.`,
    );
    return "ok";
  },
});

function pairOf(fields: LogLine["fields"]): string {
  if (fields["status"] === 401) return "refused";
  return typeof fields["credentials"] === "string" ? fields["credentials"] : "unknown";
}

function lastOf(lines: readonly LogLine[]): string {
  return `${age(lines.at(-1)?.time ?? "", Date.now())} ago`;
}
