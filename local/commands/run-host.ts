// Command line of the local Functions host: runs an app with this process's environment until a signal comes.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { startFunctionsHost } from "../host/functions-host.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: "string", default: "0" },
    "host-json": { type: "string", default: "host.json" },
    "no-timers": { type: "boolean", default: false },
    "lock-seconds": { type: "string" },
    "retry-seconds": { type: "string" },
    "poll-seconds": { type: "string" },
  },
});
const [entry] = positionals;
if (entry === undefined) {
  process.stderr.write(
    "Usage: run.ts <entry> [--port N] [--host-json path] [--no-timers]" +
      " [--lock-seconds N] [--retry-seconds N] [--poll-seconds N]\n",
  );
  process.exit(2);
}

const lockSeconds = values["lock-seconds"];
const retrySeconds = values["retry-seconds"];
const pollSeconds = values["poll-seconds"];
// The line with the address comes first; what the app logs while it loads waits for it.
let waitingLines: string[] | undefined = [];
const host = await startFunctionsHost({
  entry: resolve(entry),
  hostJsonPath: resolve(values["host-json"]),
  environment: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
  port: Number(values.port),
  timersEnabled: !values["no-timers"],
  timeScale: {
    ...(lockSeconds === undefined ? {} : { messageLockSeconds: Number(lockSeconds) }),
    ...(retrySeconds === undefined ? {} : { retryDelaySeconds: Number(retrySeconds) }),
    ...(pollSeconds === undefined ? {} : { pollSeconds: Number(pollSeconds) }),
  },
  onLog({ level, category, message }) {
    const line = `${new Date().toISOString()} ${level} ${category}: ${message}\n`;
    if (waitingLines) {
      waitingLines.push(line);
    } else {
      process.stdout.write(line);
    }
  },
});
process.stdout.write(`${JSON.stringify({ url: host.url, functions: host.functions })}\n`);
process.stdout.write(waitingLines.join(""));
waitingLines = undefined;

const stop = (): void => void host.stop();
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
const { reason } = await host.exited;
process.stdout.write(`The host has ended: ${reason}\n`);
process.exitCode = reason === "stopped" ? 0 : 1;
