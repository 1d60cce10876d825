/** Starts the whole gateway: the development stack, and the app in the local Functions host in front of it. */
import { fileURLToPath } from "node:url";
import { startFunctionsHost } from "../host/functions-host.ts";
import type { HostedFunction } from "../host/hosted-function.ts";
import type { LogEntry } from "../host/worker/messages.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { createCorsHandler } from "./cors.ts";
import { type DevelopmentStack, startDevelopmentStack } from "./development-stack.ts";
import { fastSettings } from "./gateway-settings.ts";
import { identities } from "./identities.ts";

export interface LocalGateway {
  readonly connection: Connection;
  readonly stack: DevelopmentStack;
  /** The app's functions, as the host has loaded them. */
  readonly functions: readonly HostedFunction[];
  /** Resolves with the reason when the host has ended, by `stop` or because the app crashed too often. */
  readonly exited: Promise<{ reason: string }>;
  stop(): Promise<void>;
}

export interface LocalGatewayOptions {
  /** Override the stack's settings and the fast ones. */
  readonly settings?: Record<string, string>;
  readonly onLog?: (entry: LogEntry) => void;
  /** Origins whose pages may call the public operations, as `widgetOrigins` of a deployment. */
  readonly corsOrigins?: readonly string[];
}

/**
 * Starts everything on free ports of 127.0.0.1, with timers, and points the platform's event sink to the app.
 * Stops what was started and throws if the app does not load.
 */
export async function startLocalGateway(options: LocalGatewayOptions = {}): Promise<LocalGateway> {
  const stack = await startDevelopmentStack();
  try {
    const settings = { ...stack.settings, ...fastSettings, ...options.settings };
    const host = await startFunctionsHost({
      entry: fileURLToPath(new URL("./app-entry.ts", import.meta.url)),
      hostJsonPath: fileURLToPath(new URL("../../host.json", import.meta.url)),
      environment: settings,
      timeScale: { pollSeconds: 0.5 },
      ...(options.onLog && { onLog: options.onLog }),
      ...(options.corsOrigins && { inFront: createCorsHandler(options.corsOrigins) }),
    });
    if (host.functions.length === 0) {
      await host.stop();
      throw new Error("the app could not be loaded; its error is above");
    }
    pointEventSinkTo(stack, host.url);
    return {
      connection: connectionOf(stack, host.url, settings),
      stack,
      functions: host.functions,
      exited: host.exited,
      async stop() {
        await host.stop();
        await stack.stop();
      },
    };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** Points the simulated platform's event sink to the gateway at this address. */
export function pointEventSinkTo({ platform }: DevelopmentStack, gatewayUrl: string): void {
  platform.configureSink({
    url: `${gatewayUrl}/public/event_sink`,
    username: identities.sinkUsername,
    password: identities.sinkPassword,
  });
}
