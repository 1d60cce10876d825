/** Prints what the app logs, for a person: short lines, each failure once, and repeats only counted. */
import { readLine } from "../../log/line.ts";
import type { LogEntry } from "../../simulators/host/messages.ts";

const levels = ["trace", "debug", "information", "warning", "error", "critical"];

/** Creates a log receiver that prints warnings and errors; or, if it is verbose, all entries completely. */
export function createLogPrinter(
  isVerbose: boolean,
  print: (line: string) => void = console.error,
): (entry: LogEntry) => void {
  const failed = new Set<string>();
  const counts = new Map<string, number>();
  const minLevel = isVerbose ? "information" : "warning";
  return ({ level, category, message, invocationId }) => {
    if (levels.indexOf(level) < levels.indexOf(minLevel)) return;
    const line = (shown: string): void => {
      const time = new Date().toISOString().slice(11, 23);
      print(`${time} ${level.padEnd(11)} ${category}: ${shown.trim().replaceAll("\n", "\n    ")}`);
    };
    if (isVerbose) return line(message);
    // The host and the app's outer layers report the failure of a run again.
    if (level === "error" && invocationId !== undefined) {
      if (failed.has(invocationId)) return;
      failed.add(invocationId);
    }
    const shown = shorten(message);
    const count = (counts.get(`${category} ${shown}`) ?? 0) + 1;
    counts.set(`${category} ${shown}`, count);
    // The first time, and then less and less often.
    if (Number.isInteger(Math.log10(count))) line(count === 1 ? shown : `${shown} (${count} times)`);
  };
}

/** Returns a line of the app's log as one phrase, with the stack of an unexpected error. */
function shorten(message: string): string {
  const line = readLine(message);
  if (!line) return message;
  const { event, failure, code, platformStatus, causes } = line;
  const status = line.status ?? platformStatus;
  const [cause] = causes;
  const about = [failure ?? code, status].filter((part) => part !== undefined).join(" ");
  const isForeseen = cause?.name !== "Error" && cause?.name !== "TypeError";
  const reason = isForeseen ? cause?.message : cause?.stack;
  const title = about === "" ? event : `${event} (${about})`;
  return reason === undefined ? title : `${title}: ${reason}`;
}
