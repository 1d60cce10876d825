/** `npm start`: runs the gateway and everything it depends on, with a full pool, until Ctrl-C. */
import * as z from "zod";
import { startConsole } from "../console/console-server.ts";
import { createTimeline } from "../console/timeline.ts";
import { stopSignal, untilStopped } from "../process/stop-signal.ts";
import { watchFiles } from "../process/watch-files.ts";
import { fetchAccessToken } from "../stack/access-token.ts";
import {
  type Connection,
  ownConnectionFile,
  removeConnection,
  writeConnection,
} from "../stack/connection.ts";
import { environmentSettings } from "../stack/environment-settings.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { introduction } from "../terminal/introduction.ts";
import { createLogPrinter } from "../terminal/log-printer.ts";
import { showPoolFill } from "../terminal/pool-progress.ts";
import { readStartOptions } from "../terminal/start-options.ts";

const options = readStartOptions(process.argv.slice(2));
const stopping = stopSignal();
const connectionPath = options.connectionFile ?? ownConnectionFile;
process.on("exit", () => removeConnection(connectionPath));

const { used, ignored } = environmentSettings(process.env);
for (const name of ignored) console.log(`Ignoring ${name} from the environment. Use --set to set it.`);
console.log("Starting storage, platform, token issuer, contact centre, log workspace and app ...");
const printLog = createLogPrinter(options.verbose ? "information" : "warning", console.error);
const timeline = createTimeline();
const gateway = await startLocalGateway({
  settings: { ...used, ...options.set },
  ...(options.origin && { corsOrigins: options.origin }),
  ...(options.port !== undefined && { port: options.port }),
  ...(options.inspect && { inspectPort: options.inspectPort }),
  onLog: (entry) => {
    timeline.onLog(entry);
    printLog(entry);
  },
}).catch(failToStart);
const stopWatching = options.watch ? watchFiles(["src", "host.json"], () => void reload()) : () => undefined;
let stopConsole = async (): Promise<void> => undefined;
try {
  const port = options.consolePort === undefined ? {} : { port: options.consolePort };
  const { url, stop } = await startConsole({ ...gateway, timeline, ...port }).catch(
    async (error: unknown) => {
      await gateway.stop();
      return failToStart(error);
    },
  );
  stopConsole = stop;
  console.log(`Console  ${url}\nAPI      ${url}/api/`);
  if (options.inspect) console.log(`Debugger 127.0.0.1:${options.inspectPort}`);
  await fillAndIntroduce(gateway.connection);
  const crash = await Promise.race([untilStopped(stopping), gateway.exited]);
  if (crash) throw new Error(`the app has ended: ${crash.reason}`);
} catch (error) {
  // Pressing Ctrl-C while the pool is filling is not a failure.
  if (!stopping.aborted) throw error;
} finally {
  stopWatching();
  await stopConsole();
  await gateway.stop();
}
console.log("Stopped.");
process.exitCode = 0;

/** Prints one line and ends the process. What was started has been stopped. */
function failToStart(error: unknown): never {
  const port = z.object({ code: z.literal("EADDRINUSE"), port: z.int() }).safeParse(error).data?.port;
  const reason =
    port === undefined ? (error instanceof Error ? error.message : String(error)) : `port ${port} is in use`;
  console.error(`npm start: ${reason}`);
  process.exit(1);
}

async function reload(): Promise<void> {
  console.log("Restarting the app ...");
  const isLoaded = await gateway.reload();
  console.log(
    isLoaded ? "The app has been restarted." : "The app did not load. The next change restarts it.",
  );
}

async function fillAndIntroduce(connection: Connection): Promise<void> {
  const token = await fetchAccessToken(connection.tokenUrl);
  const headers = { authorization: `Bearer ${token}` };
  const requestRooms = async (): Promise<void> => {
    const { status } = await fetch(`${connection.gatewayUrl}/room/bulk/`, { method: "POST", headers });
    if (status !== 202) throw new Error(`bulk create returned ${status} instead of 202`);
  };
  await requestRooms();
  // The first run of the metrics timer can refill the pool to its minimum meanwhile, and its requests count as rooms to come.
  await showPoolFill(connection, connection.maxRooms, {
    output: process.stdout,
    stopping,
    onStall: requestRooms,
  });
  await writeConnection(connectionPath, connection);
  console.log(`\n${introduction(connection, token)}`);
  console.log(
    "The gateway is ready. Run `npm run demo` in another terminal to see it at work. Press Ctrl-C to stop.",
  );
}
