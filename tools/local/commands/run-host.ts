/**
 * Runs an app in the local Functions host, with this process's environment, until its end is requested:
 * `run-host.ts <entry> '{"maxPollingIntervalSeconds":0.2}'`. Timers run only when fired by hand. It prints one line, a JSON object
 * with `url`, `functions` and `appProcessId`.
 */
import { resolve } from "node:path";
import * as z from "zod";
import { startFunctionsHost } from "../../simulators/host/functions-host.ts";
import { untilEndRequested } from "../../simulators/process/stop-signal.ts";

const [entry = "", queues = "{}"] = process.argv.slice(2);
const endRequested = untilEndRequested();
const host = await startFunctionsHost({
  entry: resolve(entry),
  environment: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
  timersEnabled: false,
  queues: z.record(z.string(), z.number()).parse(JSON.parse(queues)),
});
const { url, functions } = host;
console.log(JSON.stringify({ url, functions, appProcessId: host.workerProcessId() }));

void endRequested.then(async () => host.stop());
const { reason } = await host.exited;
process.exit(reason === "stopped" ? 0 : 1);
