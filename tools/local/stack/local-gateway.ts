/** Starts the whole gateway: the development stack, and the app in the local Functions host in front of it. */
import { fileURLToPath } from "node:url";
import { connectionOf } from "../../simulators/connection.ts";
import { type DevelopmentStack, startDevelopmentStack } from "../../simulators/development-stack.ts";
import { localSettings } from "../../simulators/gateway-settings.ts";
import { createCorsHandler } from "../../simulators/host/cors.ts";
import {
  type FunctionsHost,
  type FunctionsHostOptions,
  startFunctionsHost,
} from "../../simulators/host/functions-host.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import type { Port } from "../../simulators/services/listen.ts";

export interface LocalGatewayOptions
  extends Pick<FunctionsHostOptions, "onLog" | "onState" | "port" | "inspectPort" | "timersEnabled"> {
  /** The app's path. The default is its source. */
  readonly entry?: string;
  /** Override the stack's settings and the local ones. */
  readonly settings?: Record<string, string>;
  /** Origins whose pages may call the gateway, as `widgetOrigins` of a deployment. */
  readonly corsOrigins?: readonly string[];
  /** The default is a free port. */
  readonly issuerPort?: Port;
  /** Keeps running if the app does not load, because a change of its files may repair it. */
  readonly mayFailToLoad?: boolean;
}

/**
 * Starts everything on 127.0.0.1 and points the platform's event sink to the app. Stops what was started and throws if
 * the app does not load or the port is in use.
 */
export async function startLocalGateway(options: LocalGatewayOptions = {}) {
  await using parts = new AsyncDisposableStack();
  const stack = await startDevelopmentStack({ issuerPort: options.issuerPort ?? 0 });
  parts.defer(stack.stop);
  const settings = { ...stack.settings, ...localSettings, ...options.settings };
  const exited = Promise.withResolvers<{ reason: string }>();
  let host: FunctionsHost | undefined;
  let reloading = Promise.resolve(true);
  let state: AppState = { state: "restarting" };

  function enter(next: AppState): void {
    state = next;
    options.onState?.(next);
  }

  async function startApp(port: Port): Promise<FunctionsHost> {
    const started = await startFunctionsHost({
      entry: options.entry ?? fileURLToPath(new URL("../../../src/main.ts", import.meta.url)),
      timersEnabled: options.timersEnabled ?? true,
      environment: settings,
      port,
      queues: { maxPollingIntervalSeconds: 0.5 },
      onState: enter,
      onLog: (entry) => {
        stack.logWorkspace.addEntry(entry);
        options.onLog?.(entry);
      },
      inFront: createCorsHandler(options.corsOrigins ?? [], options.onLog),
      ...(options.inspectPort && { inspectPort: options.inspectPort }),
    });
    host = started;
    // A host that has been replaced does not end the gateway.
    void started.exited.then((ending) => host === started && exited.resolve(ending));
    return started;
  }

  async function replaceApp(port: number): Promise<boolean> {
    const old = host;
    host = undefined;
    enter({ state: "restarting", reason: "A file has changed" });
    await old?.stop();
    try {
      return (await startApp(port)).functions.length > 0;
    } catch (error) {
      options.onLog?.({ level: "error", category: "Host", message: String(error) });
      enter({ state: "not loaded", reason: String(error) });
      return false;
    }
  }

  parts.defer(async () => host?.stop());
  const { url, functions } = await startApp(options.port ?? 0);
  if (functions.length === 0 && !options.mayFailToLoad)
    throw new Error(`the app could not be loaded: ${state.reason ?? "it has no functions"}`);
  preparePlatform(stack, url, settings);
  const running = parts.move();
  return {
    connection: connectionOf(stack, url, settings),
    stack,
    appState: () => state,
    /** Resolves with the reason when the host has ended, by `stop` or because the app crashed too often. */
    exited: exited.promise,
    /**
     * Restarts the app on the same port. Returns false if it does not load: its error is logged, and a call can retry.
     */
    async reload(): Promise<boolean> {
      reloading = reloading.then(async () => replaceApp(Number(new URL(url).port)));
      return reloading;
    },
    stop: async (): Promise<void> => {
      await reloading;
      await running.disposeAsync();
    },
  };
}

/**
 * Points the simulated platform's event sink to the gateway at this URL, and lets its nodes learn as late as it
 * expects.
 */
export function preparePlatform(
  { platform }: DevelopmentStack,
  gatewayUrl: string,
  settings: Readonly<Record<string, string>>,
): void {
  platform.configureSink({
    url: `${gatewayUrl}/public/event_sink`,
    username: settings["EVENT_SINK_USERNAME"] ?? "",
    password: settings["EVENT_SINK_PASSWORD"] ?? "",
  });
  platform.setBehaviour({ nodeDelaySeconds: Number(settings["POOL_READY_DELAY_SECONDS"]) });
}
