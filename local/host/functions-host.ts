/** The local Functions host: runs the app in a child process and drives it by HTTP, timers and queues. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { readHostJson } from "./host-json.ts";
import type { HostedFunction } from "./hosted-function.ts";
import { buildHttpRoutes } from "./http/http-routes.ts";
import { createHttpServer } from "./http/http-server.ts";
import { startTriggers } from "./triggers/triggers.ts";
import { startAppProcess } from "./worker/app-process.ts";
import { createInvoker } from "./worker/invoker.ts";
import type { LogEntry } from "./worker/messages.ts";

export interface FunctionsHostOptions {
  /** Absolute path of the app: `src/main.ts`, `dist/main.js` or any other module that registers functions. */
  readonly entry: string;
  readonly hostJsonPath: string;
  /** The app's whole environment, apart from what the operating system needs, such as PATH. */
  readonly environment: Record<string, string>;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly onLog?: (entry: LogEntry) => void;
  readonly timeScale?: { messageLockSeconds?: number; retryDelaySeconds?: number; pollSeconds?: number };
  /** When false no timer fires by itself, not even on startup; firing by hand still works. */
  readonly timersEnabled?: boolean;
}

export interface FunctionsHost {
  readonly url: string;
  readonly functions: readonly HostedFunction[];
  workerProcessId(): number | undefined;
  /** Resolves when the host has ended, by `stop` or because the app crashed for the third time. */
  readonly exited: Promise<{ reason: string }>;
  /** Lets running calls finish for up to 10 seconds, then ends the app. */
  stop(): Promise<void>;
}

const drainMilliseconds = 10_000;
const passedOnVariables = ["PATH", "HOME", "TMPDIR", "TEMP", "TZ", "LANG", "SystemRoot"];

/**
 * Starts the host and resolves when the app is loaded and the port is open. An app that fails to load leaves
 * a host without functions; rejects when host.json is not valid or the app's process cannot stay alive.
 */
export async function startFunctionsHost(options: FunctionsHostOptions): Promise<FunctionsHost> {
  const { onLog = () => undefined, environment } = options;
  const settings = await readHostJson(options.hostJsonPath);
  const app = await startAppProcess(options.entry, childEnvironment(environment), onLog);
  const invoker = createInvoker(app, onLog);
  const isEnabled = (name: string): boolean =>
    !["true", "1"].includes((environment[`AzureWebJobs.${name}.Disabled`] ?? "").toLowerCase());
  const metadata = app.functions.filter(({ name }) => isEnabled(name));
  const routes = buildHttpRoutes(metadata, settings.routePrefix, onLog);
  const triggers = startTriggers({ ...options, onLog, settings, metadata, invoker });
  const server = createHttpServer({
    routes,
    hasHomePage: (environment["AzureWebJobsDisableHomepage"] ?? "").toLowerCase() !== "true",
    invokeHttp: (functionName, request, traceParent) =>
      invoker.invoke(functionName, { input: { http: request }, ...(traceParent ? { traceParent } : {}) }),
    fireFunction: triggers.fire,
    onLog,
  });
  const exited = Promise.withResolvers<{ reason: string }>();
  let ending: Promise<void> | undefined;

  async function end(reason: string): Promise<void> {
    server.close();
    server.closeIdleConnections();
    const drained = Promise.all([triggers.stop(), invoker.idle()]);
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, drainMilliseconds);
    await Promise.race([drained, limit.promise]);
    clearTimeout(timer);
    await app.stop();
    await drained;
    server.closeAllConnections();
    exited.resolve({ reason });
  }
  function endOnce(reason: string): Promise<void> {
    ending ??= end(reason);
    return ending;
  }

  server.listen(options.port ?? 0, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    await endOnce("The port could not be opened.");
    throw error;
  }
  void app.gaveUp.then((reason) => endOnce(reason));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    functions: [
      ...routes.map(({ functionName, route, methods }) => ({
        name: functionName,
        trigger: "httpTrigger",
        route,
        methods,
      })),
      ...triggers.functions,
    ],
    workerProcessId: app.processId,
    exited: exited.promise,
    stop: () => endOnce("stopped"),
  };
}

function childEnvironment(environment: Record<string, string>): Record<string, string> {
  const inherited = passedOnVariables.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    FUNCTIONS_WORKER_RUNTIME: "node",
    AZURE_FUNCTIONS_ENVIRONMENT: "Development",
    ...environment,
  };
}
