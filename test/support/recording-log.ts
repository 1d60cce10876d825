/** A log that records its lines, so tests can check what an operator sees. */
import type { Log, LogFields } from "../../src/lib/log.ts";

interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly fields: LogFields;
  readonly cause?: unknown;
}

export interface RecordingLog extends Log {
  readonly lines: readonly LogLine[];
  events(): readonly string[];
  /** The fields of the first line with this event. */
  fieldsOf(event: string): LogFields | undefined;
}

export function createRecordingLog(): RecordingLog {
  const lines: LogLine[] = [];
  const record =
    (level: LogLine["level"]) =>
    (event: string, fields: LogFields = {}, cause?: unknown): void => {
      lines.push({ level, event, fields, cause });
    };
  return {
    info: record("info"),
    warn: record("warn"),
    error: record("error"),
    lines,
    events: () => lines.map(({ event }) => event),
    fieldsOf: (event) => lines.find((line) => line.event === event)?.fields,
  };
}
