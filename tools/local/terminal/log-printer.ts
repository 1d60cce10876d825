/** Prints what the app logs, one line per entry. */
import type { LogEntry } from "../host/messages.ts";

const levels = ["trace", "debug", "information", "warning", "error", "critical"];

/** Creates a log receiver that prints entries of at least this level. */
export function createLogPrinter(
  minLevel: "information" | "warning" | "error",
  print: (line: string) => void,
): (entry: LogEntry) => void {
  return ({ level, category, message }) => {
    if (levels.indexOf(level) < levels.indexOf(minLevel)) return;
    const time = new Date().toISOString().slice(11, 23);
    print(`${time} ${level.padEnd(11)} ${category}: ${message.trim().replaceAll(/\s*\n\s*/g, " | ")}`);
  };
}
