/** What the app logs, as single lines for a person at a console. */
import type { LogEntry } from "../host/worker/messages.ts";

const levels = ["trace", "debug", "information", "warning", "error", "critical"];

/** Makes a log receiver that prints what has at least this level, each entry on one line. */
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
