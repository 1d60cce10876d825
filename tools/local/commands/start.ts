/** `npm start`: runs the gateway and everything it depends on, with a full pool, until Ctrl-C. */
import * as z from "zod";
import { settingNames } from "../../../src/lib/settings/settings.ts";
import {
  type Connection,
  findStartedGateway,
  removeConnectionFile,
  writeConnection,
} from "../../simulators/connection.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { unusualPort } from "../../simulators/services/listen.ts";
import { stopSignal, untilStopped } from "../../terminal/stop-signal.ts";
import { startConsole } from "../console/console-server.ts";
import { createTimeline } from "../console/timeline.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { watchApp } from "../stack/watch-app.ts";
import { runWithoutApp } from "../stack/without-app.ts";
import { createLogPrinter } from "../terminal/log-printer.ts";
import { fillPool } from "../terminal/pool-progress.ts";
import { describeProvisioningProblem } from "../terminal/provisioning-problem.ts";
import { readStartOptions } from "../terminal/start-options.ts";

// The same at each start, unless something else listens there.
const usualPorts = { gateway: 7071, issuer: 7072, console: 7080 };
const inspectPort = 9229;

const options = readStartOptions(process.argv.slice(2));
const stopping = stopSignal();
process.on("exit", removeConnectionFile);

for (const name of settingNames.filter((setting) => process.env[setting] !== undefined))
  console.log(`Ignoring ${name} from the environment. Use --set to set it.`);
// In a container, the process ID of a killed gateway is used again, and its file remains.
removeConnectionFile();
const earlier = await findStartedGateway();
if (earlier)
  console.log(
    `Another gateway runs at ${earlier.gatewayUrl}. Once this one runs, --local and npm run demo mean this one.`,
  );
const port = options.port ?? { ifFree: usualPorts.gateway };
if (!options.app) {
  const { set = {}, replace = false } = options;
  await runWithoutApp({ set, port, replace }, stopping).catch(failToStart);
  console.log("Stopped.");
  process.exit();
}
console.log("Starting storage, platform, token issuer, contact centre, log workspace and app ...");
const printLog = createLogPrinter(options.verbose ?? false);
const timeline = createTimeline();
let connection: Connection | undefined;
const gateway = await startLocalGateway({
  settings: options.set ?? {},
  corsOrigins: options.origin ?? [],
  port,
  issuerPort: { ifFree: usualPorts.issuer },
  ...(options.inspect && { inspectPort }),
  mayFailToLoad: options.watch ?? false,
  onState: publish,
  onLog: (entry) => {
    timeline.onLog(entry);
    printLog(entry);
  },
}).catch(failToStart);
({ connection } = gateway);
publish(gateway.appState());
const stopWatching = options.watch ? watchApp((file) => void reload(file)) : undefined;
let stopConsole = async (): Promise<void> => undefined;
try {
  const { url, stop } = await startConsole({ ...gateway, timeline, port: { ifFree: usualPorts.console } });
  stopConsole = stop;
  await introduce(gateway.connection);
  console.log(`\n${summary(url, gateway.connection)}`);
  const crash = await Promise.race([untilStopped(stopping), gateway.exited]);
  if (crash) {
    console.error(`npm start: the app has ended: ${crash.reason}`);
    process.exitCode = 1;
  }
} catch (error) {
  // Pressing Ctrl-C while the pool is filling is not a failure.
  if (!stopping.aborted) throw error;
} finally {
  await stopWatching?.();
  await stopConsole();
  await gateway.stop();
}
console.log("Stopped.");
process.exit();

/** Prints one line and ends the process. What was started has been stopped. */
function failToStart(error: unknown): never {
  const taken = z.object({ code: z.literal("EADDRINUSE"), port: z.int() }).safeParse(error).data?.port;
  const reason = error instanceof Error ? error.message : String(error);
  console.error(
    taken === undefined
      ? `npm start: ${reason}`
      : `npm start: port ${taken} is in use. Leave the option out to use a free port.`,
  );
  process.exit(1);
}

/** Writes the app's state for other commands. */
function publish(app: AppState): void {
  if (connection) writeConnection({ ...connection, app });
}

async function reload(file: string): Promise<void> {
  console.log(`${file} has changed. Restarting the app ...`);
  const isLoaded = await gateway.reload();
  console.log(isLoaded ? "The app has been restarted." : notLoaded());
}

function notLoaded(): string {
  return `The app did not load: ${gateway.appState().reason}. The next change restarts it.`;
}

/** Fills the pool and says whether the gateway is ready. */
async function introduce(started: Connection): Promise<void> {
  if (gateway.appState().state === "not loaded") return console.log(`\n${notLoaded()}`);
  // A bar that is redrawn would run into the lines of the log.
  const lines = { write: (text: string) => process.stdout.write(text) };
  const { ready, wanted, problem } = await fillPool(started, {
    output: options.verbose ? lines : process.stdout,
    stopping,
    provisioningProblem: () => describeProvisioningProblem(timeline.entries()),
  });
  console.log(
    ready >= wanted
      ? "The gateway is ready. Press Ctrl-C to stop. In another terminal, `npm run demo` runs the life of a room."
      : `${ready} of ${wanted} rooms: ${problem ?? "the others follow"}. ` +
          "The gateway keeps trying. `npm run ops -- status --local` says what is wrong. Press Ctrl-C to stop.",
  );
}

/** The lines that matter most, which are printed last. */
function summary(consoleUrl: string, { gatewayUrl, tokenUrl }: Connection): string {
  const otherIssuerPort = unusualPort(tokenUrl, usualPorts.issuer);
  const lines: string[] = [];
  if (otherIssuerPort !== "") lines.push(`Token issuer   ${new URL(tokenUrl).origin}${otherIssuerPort}`);
  if (options.inspect) lines.push(`Debugger       127.0.0.1:${inspectPort}`);
  lines.push(`Console        ${consoleUrl}${unusualPort(consoleUrl, usualPorts.console)}`);
  lines.push(`API reference  ${consoleUrl}/api/`);
  lines.push(
    `Gateway        ${gatewayUrl}${options.port ? "" : unusualPort(gatewayUrl, usualPorts.gateway)}`,
  );
  return lines.join("\n");
}
