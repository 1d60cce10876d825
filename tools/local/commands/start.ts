/** `npm start`: runs the gateway and everything it depends on, with a full pool, until Ctrl-C. */
import * as z from "zod";
import { settingNames } from "../../../src/lib/settings/settings.ts";
import { startConsole } from "../console/console-server.ts";
import { createTimeline } from "../console/timeline.ts";
import type { AppState } from "../host/app-process.ts";
import { stopSignal, untilStopped } from "../process/stop-signal.ts";
import { watchFiles } from "../process/watch-files.ts";
import { fetchAccessToken } from "../stack/access-token.ts";
import {
  type Connection,
  ownConnectionFile,
  removeConnection,
  writeConnection,
} from "../stack/connection.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { introduction } from "../terminal/introduction.ts";
import { createLogPrinter } from "../terminal/log-printer.ts";
import { showPoolFill } from "../terminal/pool-progress.ts";
import { createProvisioningProblem } from "../terminal/provisioning-problem.ts";
import { readStartOptions } from "../terminal/start-options.ts";

// The same at each start, unless something else listens there.
const usualPorts = { gateway: { ifFree: 7071 }, issuer: { ifFree: 7072 }, console: { ifFree: 7080 } };

const options = readStartOptions(process.argv.slice(2));
const stopping = stopSignal();
const connectionPath = options.connectionFile ?? ownConnectionFile;
process.on("exit", () => removeConnection(connectionPath));

for (const name of settingNames.filter((setting) => process.env[setting] !== undefined))
  console.log(`Ignoring ${name} from the environment. Use --set to set it.`);
console.log("Starting storage, platform, token issuer, contact centre, log workspace and app ...");
const printLog = createLogPrinter(options.verbose ? "information" : "warning", console.error);
const timeline = createTimeline();
const provisioning = createProvisioningProblem();
const refusedOrigins = new Set<string>();
let connection: Connection | undefined;
let writing = Promise.resolve();
const gateway = await startLocalGateway({
  settings: options.set ?? {},
  corsOrigins: options.origin ?? [],
  onRefusedOrigin,
  port: options.port ?? usualPorts.gateway,
  issuerPort: usualPorts.issuer,
  ...(options.inspect && { inspectPort: options.inspectPort }),
  mayFailToLoad: options.watch ?? false,
  onState: publish,
  onLog: (entry) => {
    timeline.onLog(entry);
    provisioning.onLog(entry);
    printLog(entry);
  },
}).catch(failToStart);
({ connection } = gateway);
publish(gateway.appState());
const stopWatching = options.watch
  ? watchFiles(["src", "host.json"], (file) => void reload(file))
  : undefined;
let stopConsole = async (): Promise<void> => undefined;
try {
  const port = options.consolePort ?? usualPorts.console;
  const { url, stop } = await startConsole({ ...gateway, timeline, port }).catch(async (error: unknown) => {
    await gateway.stop();
    return failToStart(error);
  });
  stopConsole = stop;
  console.log(`Console        ${url}\nAPI reference  ${url}/api/`);
  if (options.inspect) console.log(`Debugger       127.0.0.1:${options.inspectPort}`);
  await introduce(gateway.connection);
  const crash = await Promise.race([untilStopped(stopping), gateway.exited]);
  if (crash) {
    console.error(`npm start: the app has ended: ${crash.reason}`);
    process.exitCode = 1;
  }
} catch (error) {
  // Pressing Ctrl-C while the pool is filling is not a failure.
  if (!stopping.aborted) throw error;
} finally {
  stopWatching?.();
  await stopConsole();
  await gateway.stop();
}
console.log("Stopped.");
process.exit();

/** Prints one line and ends the process. What was started has been stopped. */
function failToStart(error: unknown): never {
  const port = z.object({ code: z.literal("EADDRINUSE"), port: z.int() }).safeParse(error).data?.port;
  const reason = error instanceof Error ? error.message : String(error);
  console.error(
    port === undefined
      ? `npm start: ${reason}`
      : `npm start: port ${port} is in use. Leave the option out to use a free port.`,
  );
  process.exit(1);
}

/** Writes the app's state for other commands. */
function publish(app: AppState): void {
  timeline.onState(app);
  if (!connection) return;
  const written = { ...connection, app };
  writing = writing.then(async () => writeConnection(connectionPath, written));
}

function onRefusedOrigin(origin: string): void {
  if (refusedOrigins.has(origin)) return;
  refusedOrigins.add(origin);
  console.error(
    `Pages of ${origin} may not call the gateway. Allow them with: npm start -- --origin ${origin}`,
  );
}

async function reload(file: string): Promise<void> {
  console.log(`${file} has changed. Restarting the app ...`);
  const isLoaded = await gateway.reload();
  console.log(isLoaded ? "The app has been restarted." : notLoaded());
}

function notLoaded(): string {
  return `The app did not load: ${gateway.appState().reason}. The next change restarts it.`;
}

async function introduce(started: Connection): Promise<void> {
  const token = await fetchAccessToken(started.tokenUrl);
  if (gateway.appState().state === "not loaded")
    return console.log(`\n${introduction(started, token)}\n${notLoaded()}`);
  const headers = { authorization: `Bearer ${token}` };
  const requestRooms = async (): Promise<void> => {
    await fetch(`${started.gatewayUrl}/room/bulk/`, { method: "POST", headers }).catch(() => undefined);
  };
  await requestRooms();
  // The first run of the metrics timer can refill the pool to its minimum meanwhile, and its requests count as rooms to come.
  const { ready, wanted } = await showPoolFill(started, started.maxRooms, {
    // A bar that is redrawn would run into the lines of the log.
    output: options.verbose ? { write: (text) => process.stdout.write(text) } : process.stdout,
    stopping,
    onStall: requestRooms,
    problem: provisioning.problem,
  });
  console.log(`\n${introduction(started, token)}`);
  console.log(
    ready >= wanted
      ? "The gateway is ready. Run `npm run demo` in another terminal to see it at work. Press Ctrl-C to stop."
      : `${ready} of ${wanted} rooms: ${provisioning.problem() ?? "the others follow"}. ` +
          "The gateway keeps trying. `npm run ops -- doctor --local` says what is wrong. Press Ctrl-C to stop.",
  );
}
