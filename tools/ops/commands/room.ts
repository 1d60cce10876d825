/** `ops room`: the life of one room, from the log. */

import { markedRooms } from "../../../src/lib/pool/room.ts";
import { defineCommand } from "../command.ts";
import { flag, number, required, text, withDefault } from "../options.ts";
import type { LogLine } from "../target/log-reader.ts";
import type { Platform } from "../target/target.ts";
import { age, table } from "../terminal/format.ts";

export const room = defineCommand({
  name: "room",
  summary: "shows the life of one room, from its provisioning to its deletion",
  details: [
    "CORRELATION leads to the whole request: filter the log by it (docs/operations.md, Following one room).",
  ],
  argument: required(text("NAME", "the room's name")),
  options: {
    hours: withDefault(number("HOURS", "how far back to search", [1, 2160]), 168),
    json: flag("prints one JSON array of log lines"),
  },
  run: async ({ argument: name, options }, { connect, terminal }) => {
    const target = await connect();
    const lines = await target.log.lines({ hours: options.hours, room: name });
    if (options.json) {
      terminal.print(JSON.stringify(lines));
      return lines.length > 0 ? "ok" : "finding";
    }
    for (const line of table([["TIME (UTC)", "EVENT", "CALLER", "CORRELATION"], ...lines.map(rowOf)]))
      if (lines.length > 0) terminal.print(line);
    if (lines.length === 0)
      terminal.print(
        `The log of the last ${options.hours} hours has no line about ${name}. Check the name, or search further back with --hours.`,
      );
    if (target.platform) terminal.print(await stateNow(target.platform, name));
    return lines.length > 0 ? "ok" : "finding";
  },
});

function rowOf({ time, fields }: LogLine): string[] {
  const field = (name: string): string => {
    const value = fields[name];
    return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  };
  const reason = field("reason");
  const event = reason === "" ? field("event") : `${field("event")} (${reason})`;
  return [time.slice(0, 23).replace("T", " "), event, field("caller"), field("correlationId")];
}

async function stateNow({ conferences, status }: Platform, name: string): Promise<string> {
  const found = await conferences.findByName(name);
  if (!found) return "Now: the platform has no room of this name.";
  const [marked] = markedRooms([found]);
  if (!marked) return "Now: it is on the platform, without the gateway's marker.";
  const { state, since } = marked.marker;
  const isLive = await status.isLive(name);
  return `Now: ${state} for ${age(since, Date.now())}, ${isLive ? "with" : "without"} a live conference.`;
}
