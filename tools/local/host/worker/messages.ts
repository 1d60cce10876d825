/** The messages between the host and its worker process, and the data shapes of the library's own protocol. */

export type LogLevel = "trace" | "debug" | "information" | "warning" | "error" | "critical" | "none";

export interface LogEntry {
  readonly level: LogLevel;
  readonly category: string;
  readonly message: string;
  readonly functionName?: string;
  readonly invocationId?: string;
}

export type OnLog = (entry: LogEntry) => void;

interface NullableString {
  readonly value: string;
}

export interface HttpRequestData {
  readonly url: string;
  readonly method: string;
  readonly nullableHeaders: Record<string, NullableString>;
  readonly nullableQuery: Record<string, NullableString>;
  readonly nullableParams: Record<string, NullableString>;
  readonly body?: { bytes: Uint8Array };
}

export interface HttpResponseData {
  readonly statusCode: string;
  readonly headers: Record<string, string>;
  readonly cookies: readonly unknown[];
  readonly body?: { bytes?: Uint8Array } | null;
}

export interface TypedData {
  readonly string?: string;
  readonly json?: string;
  readonly http?: HttpRequestData;
}

export interface Binding {
  readonly type: string;
  readonly direction: string;
  readonly name?: string;
  readonly route?: string;
  readonly methods?: string[];
  readonly authLevel?: string;
  readonly schedule?: string;
  readonly runOnStartup?: boolean;
  readonly queueName?: string;
  readonly connection?: string;
}

export interface FunctionMetadata {
  readonly name: string;
  readonly bindings: Record<string, Binding>;
}

export interface Invocation {
  readonly invocationId: string;
  readonly functionName: string;
  readonly input: TypedData;
  readonly triggerMetadata?: Record<string, TypedData>;
  readonly traceParent: string;
}

export type ToWorker = { kind: "invoke"; invocation: Invocation } | { kind: "terminate" };

export type FromWorker =
  | { kind: "loaded"; functions: FunctionMetadata[]; error?: string }
  | { kind: "succeeded"; invocationId: string; response?: HttpResponseData }
  | { kind: "failed"; invocationId: string; error: string }
  | { kind: "log"; entry: LogEntry };
