/** `npm run demo`: exercises every operation of a running local gateway, or of one that it starts. */
import { createReport } from "../demo/report.ts";
import { runDemo } from "../demo/run-demo.ts";
import { stopSignal } from "../process/stop-signal.ts";
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
const report = createReport(process.stdout);
try {
  await runDemo(connection, report, { stopping, refills: running !== undefined });
} catch (error) {
  if (!stopping.aborted) report.check("the demonstration runs to its end", false, String(error));
} finally {
  await own?.stop();
}
if (stopping.aborted) {
  console.log("Interrupted.");
  process.exitCode = 1;
} else {
  process.exitCode = report.summarize() === 0 ? 0 : 1;
}
