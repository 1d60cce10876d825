/** The port for structured log lines. The code below a function logs through it and knows nothing of Azure. */

/** Named values of a log line. They never contain a PIN, token, password or service tag. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes one line per call: the event, its fields and, for `warn` and `error`, the chain of causes. Never throws. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields, cause?: unknown): void;
  error(event: string, fields?: LogFields, cause?: unknown): void;
}
