/** The log of the gateway's own code while a command runs it. */
import type { Log, LogFields } from "../../../src/lib/log.ts";
import type { Terminal } from "./terminal.ts";

interface Logged {
  readonly event: string;
  readonly fields: LogFields;
}

export interface CommandLog extends Log {
  /** Everything logged so far. */
  readonly lines: readonly Logged[];
}

/** Creates a log that keeps all lines, and shows warnings and errors as remarks. `onLine` is told of each line. */
export function createCommandLog(
  { remark }: Pick<Terminal, "remark">,
  onLine: (line: Logged) => void = () => undefined,
): CommandLog {
  const lines: Logged[] = [];
  const keep = (event: string, fields: LogFields = {}): void => {
    lines.push({ event, fields });
    onLine({ event, fields });
  };
  const show = (event: string, fields: LogFields = {}, cause?: unknown): void => {
    keep(event, fields);
    const details = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
    remark(`  ${event}${details.join("")}${cause instanceof Error ? `: ${cause.message}` : ""}`);
  };
  return { lines, info: keep, warn: show, error: show };
}
