/**
 * Runs one app in the local Functions host: first a line with its address and the app's process id, then the log,
 * one JSON object a line. It ends when its standard input closes, so that nothing outlives the command.
 */
import { z } from "zod";
import { startFunctionsHost } from "../local/host/functions-host.ts";

const optionsSchema = z.strictObject({
  entry: z.string(),
  hostJsonPath: z.string(),
  lockSeconds: z.number(),
  retrySeconds: z.number(),
  pollSeconds: z.number(),
});

process.stdin.once("close", () => process.exit(1));
process.stdin.resume();

const options = optionsSchema.parse(JSON.parse(process.argv[2] ?? ""));
const waitingLines: string[] = [];
let write = (line: string): void => void waitingLines.push(line);
const host = await startFunctionsHost({
  entry: options.entry,
  hostJsonPath: options.hostJsonPath,
  environment: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
  timersEnabled: false,
  timeScale: {
    messageLockSeconds: options.lockSeconds,
    retryDelaySeconds: options.retrySeconds,
    pollSeconds: options.pollSeconds,
  },
  onLog: ({ level, category, message }) => write(`${JSON.stringify({ level, category, message })}\n`),
});
write = (line) => void process.stdout.write(line);
const addresses = { url: host.url, appProcessId: String(host.workerProcessId() ?? "") };
write(`${JSON.stringify(addresses)}\n${waitingLines.join("")}`);
if (host.functions.length === 0) throw new Error("the app could not be loaded");
