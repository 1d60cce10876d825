// The whole gateway on this computer: the development stack, and the app in the local Functions host in front of it.
import { fileURLToPath } from "node:url";
import { startFunctionsHost } from "../host/functions-host.ts";
import type { LogEntry } from "../host/worker/messages.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { type DevelopmentStack, identities, startDevelopmentStack } from "./development-stack.ts";

/** Waiting times fit for looking on: rooms ripen in a second, and are collected half a minute after their end. */
export const fastSettings = {
  MAX_VMR: "20",
  POOL_READY_DELAY_SECONDS: "1",
  GC_MINIMUM_AGE_SECONDS: "30",
};

export interface LocalGateway {
  readonly connection: Connection;
  readonly stack: DevelopmentStack;
  /** Resolves with the reason when the app has ended, by `stop` or because it crashed too often. */
  readonly exited: Promise<{ reason: string }>;
  stop(): Promise<void>;
}

export interface LocalGatewayOptions {
  /** Laid over the stack's own settings and the impatient ones. */
  readonly settings?: Record<string, string>;
  readonly onLog?: (entry: LogEntry) => void;
}

/**
 * Starts everything on free ports of 127.0.0.1, timers running, and points the platform's event sink to the app.
 * Throws when the app does not load; what was started is stopped then.
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
    });
    if (host.functions.length === 0) {
      await host.stop();
      throw new Error("The app could not be loaded; its error is above.");
    }
    pointEventSinkTo(stack, host.url);
    return {
      connection: connectionOf(stack, host.url, settings),
      stack,
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

/** Makes the simulated platform send its events to the gateway at this address. */
export function pointEventSinkTo({ platform }: DevelopmentStack, gatewayUrl: string): void {
  platform.configureSink({
    url: `${gatewayUrl}/public/event_sink`,
    username: identities.sinkUsername,
    password: identities.sinkPassword,
  });
}
