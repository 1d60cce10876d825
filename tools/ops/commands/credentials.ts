/** `ops rotate-sink` and `ops token`: the credentials of the event sink, and a token for calls with curl. */
import { wholeNumber } from "../../local/terminal/create-command.ts";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import type { LogLine } from "../target/target.ts";
import { age, count, table } from "../terminal/format.ts";

export function addRotateSink({ command, run }: Operator): void {
  command(
    "rotate-sink",
    "shows whether conferencing nodes still use the event sink's previous credentials",
    "Reads the log only; docs/operations.md, Rotating secrets, has the steps. Ends with 0 if all requests came with the " +
      "current pair. Choose a period in which every node has sent events; a node without conferences sends none.",
  )
    .option("--hours <n>", "How far back to look.", wholeNumber(1, 720), 1)
    .option("--json", "Prints one JSON object.")
    .action(async (options) =>
      run(options, async (context) => showSink(options.hours, options.json === true, context)),
    );
}

async function showSink(hours: number, isJson: boolean, { terminal, connect }: Context): Promise<Outcome> {
  const { log } = await connect();
  const lines = await log.lines({ hours, events: ["request"], functions: ["eventSink"] });
  const groups = Map.groupBy(lines, ({ fields }) => pairOf(fields));
  const isRotated = lines.length > 0 && !groups.has("previous") && !groups.has("refused");
  if (isJson) {
    const pairs = [...groups].map(([credentials, ofPair]) => ({
      credentials,
      requests: ofPair.length,
      last: ofPair.at(-1)?.time,
    }));
    terminal.print(JSON.stringify({ hours, pairs, isRotated }));
  } else printSink(groups, hours, terminal);
  return isRotated ? "ok" : "finding";
}

function printSink(
  groups: ReadonlyMap<string, readonly LogLine[]>,
  hours: number,
  { print }: Context["terminal"],
): void {
  if (groups.size === 0)
    return print(
      `No node has sent anything in the last ${hours} h, so nothing is known: docs/operations.md#event-sink-silent.`,
    );
  const rows = [...groups].map(([pair, ofPair]) => [pair, String(ofPair.length), lastOf(ofPair)]);
  for (const line of table([["CREDENTIALS", "REQUESTS", "LAST"], ...rows])) print(line);
  const previous = groups.get("previous");
  const refused = groups.get("refused");
  if (refused)
    print(
      `${count(refused.length, "request")} refused: a node has other credentials than the gateway. Act at once: docs/operations.md#event-sink-silent.`,
    );
  if (previous)
    print(
      `The previous pair was used ${lastOf(previous)}: keep it, and let the platform administrator change the sink.`,
    );
  if (!previous && !refused)
    print(
      `Only the current pair was used in the last ${hours} h. EVENT_SINK_PREVIOUS_USERNAME can be removed.`,
    );
}

function pairOf(fields: LogLine["fields"]): string {
  if (fields["status"] === 401) return "refused";
  return typeof fields["credentials"] === "string" ? fields["credentials"] : "unknown";
}

function lastOf(lines: readonly LogLine[]): string {
  return `${age(lines.at(-1)?.time ?? "", Date.now())} ago`;
}

export function addToken({ command, run }: Operator): void {
  command(
    "token",
    "prints a token for calls to /room/... with curl",
    'For example: TOKEN=$(npm run -s ops -- token); curl -H "Authorization: Bearer $TOKEN" …',
  ).action(async (options) =>
    run(options, async ({ terminal, connect }) => {
      const target = await connect();
      terminal.print(await target.accessToken());
      return "ok";
    }),
  );
}
