// The messages between the host and its worker process, and the data shapes of the library's own protocol.

export type LogLevel = "trace" | "debug" | "information" | "warning" | "error" | "critical" | "none";

export interface LogEntry {
  level: LogLevel;
  category: string;
  message: string;
  functionName?: string;
  invocationId?: string;
}

export type OnLog = (entry: LogEntry) => void;

interface NullableString {
  value: string;
}

export interface HttpRequestData {
  url: string;
  method: string;
  nullableHeaders: Record<string, NullableString>;
  nullableQuery: Record<string, NullableString>;
  nullableParams: Record<string, NullableString>;
  body?: { bytes: Uint8Array };
}

export interface CookieData {
  name: string;
  value: string;
  domain?: NullableString;
  path?: NullableString;
  expires?: { value: { seconds: number } };
  maxAge?: { value: number };
  secure?: { value: boolean };
  httpOnly?: { value: boolean };
  sameSite?: "none" | "lax" | "strict" | "explicitNone";
}

export interface HttpResponseData {
  statusCode: string;
  headers: Record<string, string>;
  cookies: CookieData[];
  body?: { bytes?: Uint8Array } | null;
}

export interface TypedData {
  string?: string;
  json?: string;
  http?: HttpRequestData;
}

export interface Binding {
  type: string;
  direction: string;
  name?: string;
  route?: string;
  methods?: string[];
  authLevel?: string;
  schedule?: string;
  runOnStartup?: boolean;
  useMonitor?: boolean;
  queueName?: string;
  connection?: string;
}

export interface FunctionMetadata {
  name: string;
  bindings: Record<string, Binding>;
}

export interface Invocation {
  invocationId: string;
  functionName: string;
  input: TypedData;
  triggerMetadata?: Record<string, TypedData>;
  traceParent: string;
}

export type ToWorker = { kind: "invoke"; invocation: Invocation } | { kind: "terminate" };

export type FromWorker =
  | { kind: "loaded"; functions: FunctionMetadata[]; error?: string }
  | { kind: "succeeded"; invocationId: string; response?: HttpResponseData }
  | { kind: "failed"; invocationId: string; error: string }
  | { kind: "log"; entry: LogEntry };
