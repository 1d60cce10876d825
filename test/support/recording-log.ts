/** A log that records its lines, so tests can check what an operator sees. */
import type { LogFields } from "../../src/lib/log.ts";

interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly fields: LogFields;
  readonly cause?: unknown;
}

export type RecordingLog = ReturnType<typeof createRecordingLog>;

export function createRecordingLog() {
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
    /** The fields of the first line with this event. */
    fieldsOf: (event: string): LogFields | undefined => lines.find((line) => line.event === event)?.fields,
  };
}
