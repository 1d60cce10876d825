// What the app logs, as single lines for a person at a console.
import type { LogEntry } from "./host/messages.ts";

const always = new Set(["warning", "error", "critical"]);

/** Makes a log receiver that prints warnings and errors, or everything when verbose, each on one line. */
export function createLogPrinter(
  isVerbose: boolean,
  print: (line: string) => void,
): (entry: LogEntry) => void {
  return ({ level, category, message }) => {
    if (!isVerbose && !always.has(level)) return;
    const time = new Date().toISOString().slice(11, 23);
    print(`${time} ${level.padEnd(11)} ${category}: ${message.trim().replaceAll(/\s*\n\s*/g, " | ")}`);
  };
}
