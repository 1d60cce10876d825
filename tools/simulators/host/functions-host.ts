/** The local Functions host: runs the app in a child process and drives it by HTTP, timers and queues. */
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { listen, type Port } from "../services/listen.ts";
import { startAppProcess } from "./app-process.ts";
import { type QueueSettings, readQueueSettings } from "./host-json.ts";
import { createHttpServer, type InFront } from "./http-server.ts";
import type { AppState, LogEntry } from "./messages.ts";
import { buildRoutes } from "./routes.ts";
import { startTriggers } from "./triggers.ts";

export interface FunctionsHostOptions {
  /** Absolute path of the app: any module that registers functions. */
  readonly entry: string;
  /** The default is the project's own. */
  readonly hostJsonPath?: string;
  /** The app's environment, except what the operating system needs, such as PATH. */
  readonly environment: Record<string, string>;
  /** The default is a free port. */
  readonly port?: Port;
  readonly onLog?: (entry: LogEntry) => void;
  /** Is called with each change of the app's state. */
  readonly onState?: (state: AppState) => void;
  /** Override host.json. */
  readonly queues?: Partial<QueueSettings>;
  /** If false, timers run only when fired by hand, not even on startup. */
  readonly timersEnabled?: boolean;
  /** Sees each request before the host, as a server in front of it does. Returns whether it has responded. */
  readonly inFront?: InFront;
  /** A debugger can attach to the app on this port of 127.0.0.1. */
  readonly inspectPort?: number;
}

export type FunctionsHost = Awaited<ReturnType<typeof startFunctionsHost>>;

// How long a host that stops waits for running calls.
const drainMilliseconds = 30_000;

const ownHostJson = fileURLToPath(new URL("../../../host.json", import.meta.url));
const passedOnVariables = [
  "PATH",
  "HOME",
  "TMPDIR",
  "TEMP",
  "TZ",
  "LANG",
  "SystemRoot",
  "NODE_COMPILE_CACHE",
];

/**
 * Starts the host; resolves when the app is loaded and the port is open. If the app fails to load, the host has no
 * functions. Throws if host.json is invalid or the app's process keeps ending.
 */
export async function startFunctionsHost(options: FunctionsHostOptions) {
  const { onLog = () => undefined, environment, timersEnabled = true } = options;
  const queues = { ...(await readQueueSettings(options.hostJsonPath ?? ownHostJson)), ...options.queues };
  const app = await startAppProcess({
    entry: options.entry,
    environment: childEnvironment(environment),
    execArgv: options.inspectPort === undefined ? [] : [`--inspect=127.0.0.1:${options.inspectPort}`],
    onLog,
    onState: options.onState,
  });
  const isEnabled = (name: string): boolean => environment[`AzureWebJobs.${name}.Disabled`] !== "true";
  const metadata = app.functions.filter(({ name }) => isEnabled(name));
  const routes = buildRoutes(metadata);
  const triggers = startTriggers({
    metadata,
    queues,
    connectionString: environment["AzureWebJobsStorage"] ?? "",
    timersEnabled,
    app,
    onLog,
  });
  const server = createHttpServer({
    routes,
    app,
    fireFunction: triggers.fire,
    onLog,
    inFront: options.inFront ?? (() => false),
  });
  const exited = Promise.withResolvers<{ reason: string }>();
  let ending: Promise<void> | undefined;

  async function end(reason: string): Promise<void> {
    server.close();
    server.closeIdleConnections();
    const drained = Promise.all([triggers.stop(), app.idle()]);
    await Promise.race([drained, delay(drainMilliseconds, undefined, { ref: false })]);
    await app.stop();
    await drained;
    server.closeAllConnections();
    exited.resolve({ reason });
  }
  async function endOnce(reason: string): Promise<void> {
    ending ??= end(reason);
    return ending;
  }

  const url = await listen(server, options.port).catch(async (error: unknown) => {
    await endOnce("The port could not be opened.");
    throw error;
  });
  void app.gaveUp.then(endOnce);
  return {
    url,
    /** The functions that are not disabled. */
    functions: metadata,
    appState: app.state,
    workerProcessId: app.processId,
    /** Resolves when the host has ended, by `stop` or after the app's third crash. */
    exited: exited.promise,
    /** Closes the port, lets calls finish for 30 s, then ends the app. */
    stop: async () => endOnce("stopped"),
  };
}

function childEnvironment(environment: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => passedOnVariables.includes(name));
  return {
    ...Object.fromEntries(inherited),
    FUNCTIONS_WORKER_RUNTIME: "node",
    AZURE_FUNCTIONS_ENVIRONMENT: "Development",
    ...environment,
  };
}
