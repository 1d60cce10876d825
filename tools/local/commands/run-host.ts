/**
 * Runs an app in the local Functions host, with this process's environment, until its end is requested:
 * `run-host.ts <entry> '{"pollSeconds":0.2}'`. Timers run only when fired by hand. The first line printed is a
 * JSON object with `url`, `functions` and `appProcessId`; each log entry is one more.
 */
import { resolve } from "node:path";
import * as z from "zod";
import { startFunctionsHost } from "../../simulators/host/functions-host.ts";
import type { LogEntry } from "../../simulators/host/messages.ts";
import { untilEndRequested } from "../../simulators/process/stop-signal.ts";

const [entry = "", timeScale = "{}"] = process.argv.slice(2);
const endRequested = untilEndRequested();
// The line with the URL comes first: what the app logs while it loads is printed after it.
const waitingLines: string[] = [];
let print = (line: string): void => void waitingLines.push(line);
const host = await startFunctionsHost({
  entry: resolve(entry),
  hostJsonPath: resolve("host.json"),
  environment: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
  timersEnabled: false,
  timeScale: z.record(z.string(), z.number()).parse(JSON.parse(timeScale)),
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
  return JSON.stringify({ level, category, message });
}
