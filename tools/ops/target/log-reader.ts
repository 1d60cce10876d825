/** The gateway's log and metrics, wherever they are kept. */

/** One line that the app logged: when, and its fields. */
export interface LogLine {
  readonly time: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Which lines to read. Missing conditions are ignored. */
export interface LogFilter {
  readonly hours: number;
  readonly room?: string;
  readonly events?: readonly string[];
  readonly function?: string;
}

/** How many lines with one event were logged within some minutes. */
export interface LogCount {
  /** The beginning of these minutes, ISO 8601 in UTC. */
  readonly time: string;
  readonly event: string;
  readonly count: number;
}

/** Reads the log. Every method throws UnreachableError if the log cannot be read. */
export interface LogReader {
  /** Returns the lines, the oldest first; of more than 10,000, the latest. */
  readonly lines: (filter: LogFilter) => Promise<readonly LogLine[]>;
  /** Counts the lines by event and by so many minutes. */
  readonly counts: (
    filter: { readonly hours: number; readonly events: readonly string[] },
    minutes: number,
  ) => Promise<readonly LogCount[]>;
  /** Returns the newest metrics row of the last day, or undefined if there is none. */
  readonly newestMetrics: () => Promise<Readonly<Record<string, unknown>> | undefined>;
}

export const maxLines = 10_000;
