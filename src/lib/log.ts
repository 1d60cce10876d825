/** Structured log lines: one JSON object a line, through the invocation's own logger. */
import type { InvocationContext } from "@azure/functions";

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What the code below a function logs with. Fields never hold a PIN, token, password or service tag. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields, cause?: unknown): void;
  error(event: string, fields?: LogFields, cause?: unknown): void;
}

/** Lines carry `event`, the function's name, the invocation id, the given fields and the chain of causes. */
export function createLog(context: InvocationContext): Log {
  const { functionName, invocationId } = context;
  const line = (event: string, fields?: LogFields, cause?: unknown): string =>
    JSON.stringify({
      event,
      function: functionName,
      invocationId,
      ...fields,
      ...(cause !== undefined && { causes: causesOf(cause) }),
    });
  return {
    info: (event, fields) => context.info(line(event, fields)),
    warn: (event, fields, cause) => context.warn(line(event, fields, cause)),
    error: (event, fields, cause) => context.error(line(event, fields, cause)),
  };
}

const maxCauseDepth = 5;

/** Name, message and stack of an error and of its causes; nothing else, as other properties may hold headers or bodies. */
function causesOf(cause: unknown, depth = 0): readonly object[] {
  if (!(cause instanceof Error)) return [{ message: `not an error but ${typeof cause}` }];
  const { name, message, stack } = cause;
  const rest = cause.cause === undefined || depth >= maxCauseDepth ? [] : causesOf(cause.cause, depth + 1);
  return [{ name, message, stack }, ...rest];
}
