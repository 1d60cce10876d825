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
  ["a line without the blanks around it", [{ message: "\nrestarts\n" }], ["restarts"]],
  [
    "every warning of a run",
    ["one", "two"].map((message) => ({ message, invocationId: "1" })),
    ["one", "two"],
  ],
  [
    "one phrase",
    [line({ event: "request", code: "claim-failed", status: 503 })],
    ["request (claim-failed 503)"],
  ],
  ["the message of an expected error", [caused("RestError")], ["run-failed: no é"]],
  [
    "the stacks of unexpected errors",
    [caused("TypeError"), caused("Error")],
    ["run-failed: TypeError: no é\n        at a.ts", "run-failed: Error: no é\n        at a.ts"],
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
  const ofHost = ["a", "b"].map((message) => ({ level: "error", message }) as const);
  const failures = [failureOf("1"), { ...failureOf("1"), message: "Executed" }, failureOf("2"), ...ofHost];
  const lines = ["failure of 1", "failure of 2", "a", "b"].map((text) => `error       App: ${text}`);
  expect(printed(failures)).toEqual(lines);
  const others = [{ level: "information" }, { level: "debug" }] as const;
  expect(printed([...repeated, ...failures, ...others], true)).toHaveLength(18);
});
