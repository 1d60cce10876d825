/** `npm start`: runs the gateway and everything it depends on, with a full pool, until Ctrl-C. */
import { startConsole } from "../console/console-server.ts";
import { createTimeline } from "../console/timeline.ts";
import { fetchAccessToken } from "../gateway/access-token.ts";
import { type Connection, connectionFile, removeConnection, writeConnection } from "../gateway/connection.ts";
import { startLocalGateway } from "../gateway/local-gateway.ts";
import { stopSignal, untilStopped } from "../process/stop-signal.ts";
import { introduction } from "../terminal/introduction.ts";
import { createLogPrinter } from "../terminal/log-printer.ts";
import { showPoolFill } from "../terminal/pool-progress.ts";
import { readOptions } from "../terminal/read-options.ts";

const values = readOptions({
  /** Prints all log entries of the app instead of warnings and errors only. */
  verbose: { type: "boolean", default: false },
  /** The file through which `npm run demo` finds this gateway. */
  "connection-file": { type: "string", default: connectionFile },
});

const stopping = stopSignal();
const connectionPath = values["connection-file"];
process.on("exit", () => removeConnection(connectionPath));

console.log("Starting storage, platform, token issuer, contact centre, log workspace and app ...");
const printLog = createLogPrinter(values.verbose ? "information" : "warning", console.error);
const timeline = createTimeline();
const gateway = await startLocalGateway({
  onLog: (entry) => {
    timeline.onLog(entry);
    printLog(entry);
  },
});
let stopConsole = async (): Promise<void> => undefined;
try {
  const { url, stop } = await startConsole({ ...gateway, timeline });
  stopConsole = stop;
  console.log(`Console  ${url}`);
  await fillAndIntroduce(gateway.connection);
  const crash = await Promise.race([untilStopped(stopping), gateway.exited]);
  if (crash) throw new Error(`the app has ended: ${crash.reason}`);
} catch (error) {
  // Pressing Ctrl-C while the pool is filling is not a failure.
  if (!stopping.aborted) throw error;
} finally {
  await stopConsole();
  await gateway.stop();
}
console.log("Stopped.");
process.exitCode = 0;

async function fillAndIntroduce(connection: Connection): Promise<void> {
  const token = await fetchAccessToken(connection.tokenUrl);
  const headers = { authorization: `Bearer ${token}` };
  const filling = await fetch(`${connection.gatewayUrl}/room/bulk/`, { method: "POST", headers });
  if (filling.status !== 202) throw new Error(`bulk create returned ${filling.status} instead of 202`);
  await showPoolFill(connection, connection.maxRooms, { output: process.stdout, stopping });
  await writeConnection(connectionPath, connection);
  console.log(`\n${introduction(connection, token)}`);
  console.log(
    "The gateway is ready. Run `npm run demo` in another terminal to see it at work. Press Ctrl-C to stop.",
  );
}
