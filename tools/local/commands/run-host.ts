/** Runs an app in the local Functions host, with this process's environment, until it is asked to stop. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { startFunctionsHost } from "../host/functions-host.ts";
import type { LogEntry } from "../host/messages.ts";
import { untilEndRequested } from "../process/serve-until-ended.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: "string", default: "0" },
    "host-json": { type: "string", default: "host.json" },
    "no-timers": { type: "boolean", default: false },
    /** Prints each log entry as one JSON object. */
    "json-log": { type: "boolean", default: false },
    "lock-seconds": { type: "string" },
    "retry-seconds": { type: "string" },
    "poll-seconds": { type: "string" },
  },
});
const [entry] = positionals;
if (entry === undefined) {
  console.error(
    "Usage: node tools/local/commands/run-host.ts <entry> [--port N] [--host-json path] [--no-timers] [--json-log]" +
      " [--lock-seconds N] [--retry-seconds N] [--poll-seconds N]",
  );
  process.exit(2);
}

const endRequested = untilEndRequested();
// The line with the URL comes first. Log lines of the loading app wait for it.
const waitingLines: string[] = [];
let print = (line: string): void => void waitingLines.push(line);
const host = await startFunctionsHost({
  entry: resolve(entry),
  hostJsonPath: resolve(values["host-json"]),
  environment: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
  port: Number(values.port),
  timersEnabled: !values["no-timers"],
  timeScale: {
    ...(values["lock-seconds"] && { messageLockSeconds: Number(values["lock-seconds"]) }),
    ...(values["retry-seconds"] && { retryDelaySeconds: Number(values["retry-seconds"]) }),
    ...(values["poll-seconds"] && { pollSeconds: Number(values["poll-seconds"]) }),
  },
  onLog: (logged) => print(format(logged)),
});
const { url, functions } = host;
console.log(JSON.stringify({ url, functions, appProcessId: host.workerProcessId() }));
for (const line of waitingLines) console.log(line);
print = (line) => console.log(line);

void endRequested.then(async () => host.stop());
const { reason } = await host.exited;
print(format({ level: "information", category: "Host", message: `The host has ended: ${reason}` }));
process.exit(reason === "stopped" ? 0 : 1);

function format({ level, category, message }: LogEntry): string {
  if (values["json-log"]) return JSON.stringify({ level, category, message });
  return `${new Date().toISOString()} ${level} ${category}: ${message}`;
}
