/** `npm run demo`: shows the gateway at work, on one that is running on this computer or on one of its own. */
import { parseArgs } from "node:util";
import { createReport } from "../demo/report.ts";
import { walk } from "../demo/run-demo.ts";
import { connectionFile, findRunningGateway } from "../gateway/connection.ts";
import { startLocalGateway } from "../gateway/local-gateway.ts";
import { stopSignal } from "../process/stop-signal.ts";
import { createLogPrinter } from "../terminal/log-printer.ts";

const { values } = parseArgs({
  options: {
    /** Starts a gateway even when one is running. */
    own: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    "connection-file": { type: "string", default: connectionFile },
  },
});

const stopping = stopSignal();
const running = values.own ? undefined : await findRunningGateway(values["connection-file"]);
console.log(
  running
    ? `Using the gateway at ${running.gatewayUrl}. All its rooms are deleted at the end, and its pool is filled again.`
    : "No gateway is running: starting one.",
);
const own = running
  ? undefined
  : await startLocalGateway({
      settings: { GC_MINIMUM_AGE_SECONDS: "5" },
      onLog: createLogPrinter(values.verbose ? "information" : "error", console.error),
    });
const connection = running ?? own?.connection;
if (!connection) throw new Error("there is no gateway");
const report = createReport(process.stdout);
try {
  await walk(connection, report, { stopping, refills: running !== undefined });
} catch (error) {
  if (!stopping.aborted) report.check("the demonstration can go on", false, String(error));
} finally {
  await own?.stop();
}
if (stopping.aborted) {
  console.log("Interrupted.");
  process.exitCode = 1;
} else {
  process.exitCode = report.summarize() === 0 ? 0 : 1;
}
