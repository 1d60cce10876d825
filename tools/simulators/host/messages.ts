/** The messages between the host and its worker process, and the data shapes of the library's own protocol. */
import type { HttpRequestInit } from "@azure/functions";
import * as z from "zod";

export type LogLevel = "trace" | "debug" | "information" | "warning" | "error" | "critical" | "none";

export interface LogEntry {
  readonly level: LogLevel;
  readonly category: string;
  readonly message: string;
  readonly functionName?: string;
  readonly invocationId?: string;
  /** Of the lines about a run: what has started it, for a request its method and path. */
  readonly trigger?: Trigger;
}

export type Trigger =
  | { readonly kind: "timer" | "queue" }
  | { readonly kind: "request"; readonly title: string };

/**
 * Whether the app takes calls, and why not: the message of the error that kept the app from loading, or how its process
 * ended, in one line.
 */
export const AppState = z.object({
  state: z.enum(["up", "restarting", "not loaded", "ended"]),
  reason: z.string().optional(),
});
export type AppState = z.output<typeof AppState>;

export type OnLog = (entry: LogEntry) => void;

export interface HttpResponseData {
  readonly statusCode: string;
  readonly headers: Record<string, string>;
  readonly body?: { bytes?: Uint8Array } | null;
}

interface TypedData {
  readonly string?: string;
  readonly json?: string;
  readonly http?: HttpRequestInit;
}

export interface FunctionMetadata {
  readonly name: string;
  readonly bindings: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly route?: string;
        readonly methods?: string[];
        readonly authLevel?: string;
        readonly schedule?: string;
        readonly runOnStartup?: boolean;
        readonly queueName?: string;
      }
    >
  >;
}

/** What a function is called with. */
export interface CallInput {
  readonly input: TypedData;
  readonly triggerMetadata?: Record<string, TypedData>;
}

export interface Invocation extends CallInput {
  readonly invocationId: string;
  readonly functionName: string;
}

export type FromWorker =
  | { kind: "loaded"; functions: FunctionMetadata[]; error?: string }
  | { kind: "ended"; invocationId: string; response?: HttpResponseData; error?: string }
  | { kind: "log"; entry: LogEntry };
