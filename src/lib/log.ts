/** Structured logging: the log port, and the log of one invocation. */
import { GatewayError } from "./errors.ts";

/** Named values of a log line. They never contain a PIN, token, password or service tag. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Writes one line per call: the event, its fields and, for `warn` and `error`, the chain of causes. Never throws. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields, cause?: unknown): void;
  error(event: string, fields?: LogFields, cause?: unknown): void;
}

/** The part of the Functions host's invocation context that logs. */
interface InvocationLogger extends Log {
  readonly functionName: string;
  readonly invocationId: string;
}

/** The origin of each line. The correlation ID defaults to the invocation's; the caller may be unknown. */
interface Origin {
  readonly correlationId?: string;
  readonly caller?: string;
}

/**
 * Creates the log of one invocation. Each line contains `event`, the function's name, the invocation ID, the
 * correlation ID, the caller, the given fields, the failure's code and platform call, and the chain of causes. No field
 * replaces the origin.
 */
export function createLog(context: InvocationLogger, origin: Origin = {}): Log {
  const { functionName, invocationId } = context;
  const line = (event: string, fields?: LogFields, cause?: unknown): string =>
    JSON.stringify({
      event,
      ...fields,
      function: functionName,
      invocationId,
      correlationId: invocationId,
      ...origin,
      ...(cause instanceof GatewayError && { failure: cause.code, ...cause.details.failedCall }),
      ...(cause !== undefined && { causes: causesOf(cause) }),
    });
  return {
    info: (event, fields) => context.info(line(event, fields)),
    warn: (event, fields, cause) => context.warn(line(event, fields, cause)),
    error: (event, fields, cause) => context.error(line(event, fields, cause)),
  };
}

const maxCauseDepth = 5;

/**
 * Returns name, message and stack of an error and of its causes. Other properties are left out because they may
 * contain headers or bodies.
 */
function causesOf(cause: unknown, depth = 0): readonly object[] {
  if (!(cause instanceof Error)) return [{ message: `not an error but ${typeof cause}` }];
  const { name, message, stack } = cause;
  const rest = cause.cause === undefined || depth >= maxCauseDepth ? [] : causesOf(cause.cause, depth + 1);
  return [{ name, message, stack }, ...rest];
}
