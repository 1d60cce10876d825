/** How a run's lines are shown. */
import type { Line } from "./audit.ts";

/** One line each, the details indented below. */
export function describeLines(lines: readonly Line[]): string {
  return lines
    .flatMap(({ isOk, text, details = [] }) => [
      `${isOk ? "ok  " : "FAIL"} ${text}`,
      ...details.map((detail) => `       ${detail}`),
    ])
    .join("\n");
}
