/** `npm run demo`: exercises every operation of a running local gateway, or of one that it starts. */

import { stopSignal } from "../../simulators/process/stop-signal.ts";
import { runDemo } from "../demo/run-demo.ts";
import { findStartedGateway } from "../stack/connection.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { createCommand } from "../terminal/create-command.ts";
import { createLogPrinter } from "../terminal/log-printer.ts";

const options = createCommand("npm run demo", "Exercises every operation of a running local gateway.")
  .option("--own", "Starts a separate gateway even if one is running.")
  .option("--verbose", "Prints all log entries of a separate gateway's app.")
  .option("--connection-file <path>", "The file that `npm start -- --connection-file` wrote.")
  .parse()
  .opts();

const stopping = stopSignal();
const running = options.own ? undefined : await findStartedGateway(options.connectionFile);
console.log(
  running
    ? `Using the gateway at ${running.gatewayUrl}. At the end, all its rooms are deleted and the pool is refilled.`
    : `${options.own ? "" : "No gateway is running. "}Starting one ...`,
);
const own = running
  ? undefined
  : await startLocalGateway({
      settings: { GC_MINIMUM_AGE_SECONDS: "5" },
      onLog: createLogPrinter(options.verbose ? "information" : "error", console.error),
    });
const connection = running ?? own?.connection;
if (!connection) throw new Error("there is no gateway");
try {
  const refills = running !== undefined;
  const failed = await runDemo(connection, { output: process.stdout, stopping, refills });
  process.exitCode = stopping.aborted || failed > 0 ? 1 : 0;
} finally {
  await own?.stop();
}
if (stopping.aborted) console.log("Interrupted.");
