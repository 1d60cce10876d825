/** The log of the app as `npm start` prints it. */
import { expect, test } from "vitest";
import { createLogPrinter } from "../../terminal/log-printer.ts";

test("The log printer prints short lines, and a repeated line only when its number is a power of ten", () => {
  const lines: string[] = [];
  const print = createLogPrinter("warning", (line) => lines.push(line));
  const category = "Function.provisionRoom";
  const causes = [{ name: "PlatformError", message: "POST /x: status 401", stack: "at a.ts" }];
  const failure = JSON.stringify({ event: "provisioning-failed", failure: "refused", status: 401, causes });
  print({ level: "information", category, message: "not shown" });
  for (let run = 0; run < 12; run += 1) {
    print({ level: "error", category, message: failure, invocationId: `run ${run}` });
    print({ level: "error", category, message: "(Failed)", invocationId: `run ${run}` });
  }
  print({ level: "error", category, message: "two\n   lines\n" });
  const shown = "Function.provisionRoom: provisioning-failed (refused 401): POST /x: status 401";
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} error {7}/, ""))).toEqual([
    shown,
    `${shown} (10 times)`,
    "Function.provisionRoom: two\n       lines",
  ]);
});
