/** `npm start`: runs the gateway with everything around it on this computer, its pool filled, until Ctrl-C. */
import { parseArgs } from "node:util";
import { fetchAccessToken } from "../gateway/access-token.ts";
import { type Connection, connectionFile, removeConnection, writeConnection } from "../gateway/connection.ts";
import { startLocalGateway } from "../gateway/local-gateway.ts";
import { stopSignal, untilStopped } from "../process/stop-signal.ts";
import { introduction } from "../terminal/introduction.ts";
import { createLogPrinter } from "../terminal/log-printer.ts";
import { showPoolFill } from "../terminal/pool-progress.ts";

const { values } = parseArgs({
  options: {
    /** Prints everything that the app logs, not only warnings and errors. */
    verbose: { type: "boolean", default: false },
    /** Where the facts for `npm run demo` are written. */
    "connection-file": { type: "string", default: connectionFile },
  },
});

const stopping = stopSignal();
const connectionPath = values["connection-file"];
process.on("exit", () => removeConnection(connectionPath));

console.log("Starting storage, platform, token issuer, contact centre, log workspace and the app ...");
const gateway = await startLocalGateway({
  onLog: createLogPrinter(values.verbose ? "information" : "warning", console.error),
});
try {
  await fillAndIntroduce(gateway.connection);
  const crash = await Promise.race([untilStopped(stopping), gateway.exited]);
  if (crash) throw new Error(`The app has ended: ${crash.reason}`);
} catch (error) {
  // A Ctrl-C while the pool is filling is no failure.
  if (!stopping.aborted) throw error;
} finally {
  await gateway.stop();
}
console.log("Ended.");
process.exitCode = 0;

async function fillAndIntroduce(connection: Connection): Promise<void> {
  const token = await fetchAccessToken(connection.tokenUrl);
  const headers = { authorization: `Bearer ${token}` };
  const filling = await fetch(`${connection.gatewayUrl}/room/bulk/`, { method: "POST", headers });
  if (filling.status !== 202) throw new Error(`Filling the pool was answered ${filling.status}, not 202.`);
  await showPoolFill(connection, connection.maxRooms, { output: process.stdout, stopping });
  await writeConnection(connectionPath, connection);
  console.log(`\n${introduction(connection, token)}`);
  console.log("The gateway is ready. `npm run demo` in another terminal shows it at work; Ctrl-C ends it.");
}
