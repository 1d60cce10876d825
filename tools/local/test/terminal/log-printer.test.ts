/** What `npm start` prints of the app's log. */
import { expect, test } from "vitest";
import type { LogEntry } from "../../../simulators/host/messages.ts";
import { createLogPrinter } from "../../terminal/log-printer.ts";

/** Returns what is printed, without the time. */
function printed(entries: readonly Partial<LogEntry>[], isVerbose = false): string[] {
  const lines: string[] = [];
  const print = createLogPrinter(isVerbose, (line) => lines.push(line));
  for (const entry of entries) print({ level: "warning", category: "App", message: "", ...entry });
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} /, ""));
}

const line = (fields: object) => ({ message: JSON.stringify(fields) });
const caused = (name: string) =>
  line({ event: "run-failed", causes: [{ name, message: "no é", stack: `${name}: no é\n    at a.ts` }] });
const failureOf = (invocationId: string): Partial<LogEntry> => ({
  level: "error",
  message: `failure of ${invocationId}`,
  invocationId,
});
const repeated = Array.from({ length: 12 }, () => ({ message: "again" }));

test.each<[string, Partial<LogEntry>[], string[]]>([
  ["no information", [{ level: "information" }], []],
  [
    "one phrase",
    [line({ event: "request", code: "claim-failed", status: 503 })],
    ["request (claim-failed 503)"],
  ],
  ["the message of an expected error", [caused("RestError")], ["run-failed: no é"]],
  [
    "the stack of an unexpected error",
    [caused("TypeError")],
    ["run-failed: TypeError: no é\n        at a.ts"],
  ],
  [
    "the first and the tenth of equal lines of a category",
    [...repeated, { category: "Host", message: "again" }],
    ["again", "again (10 times)", "Host: again"],
  ],
])("Of the log, `npm start` prints %s", (_, entries, lines) => {
  const shown = lines.map((text) => `warning     ${text.startsWith("Host: ") ? "" : "App: "}${text}`);
  expect(printed(entries)).toEqual(shown);
});

test("The failure of each run is printed once, and with --verbose everything is printed", () => {
  const failures = [failureOf("1"), { ...failureOf("1"), message: "Executed" }, failureOf("2")];
  expect(printed(failures)).toEqual(["error       App: failure of 1", "error       App: failure of 2"]);
  expect(printed([...repeated, ...failures, { level: "information" }], true)).toHaveLength(16);
});
