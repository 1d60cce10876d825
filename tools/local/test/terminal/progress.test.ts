/** Progress on a terminal and elsewhere, and lines of the app's log. */
import { expect, test } from "vitest";
import { createLogPrinter } from "../../terminal/log-printer.ts";
import { createProgress } from "../../terminal/progress.ts";

function shownOn(isTTY: boolean): string {
  let text = "";
  const progress = createProgress({ isTTY, write: (more) => (text += more) }, "rooms", 4);
  for (const done of [0, 0, 2, 4]) progress.show(done);
  progress.end();
  return text;
}

test("Progress redraws one line on a terminal and ends it with a line feed", () => {
  const [line, ...rest] = shownOn(true).split("\n");
  expect(rest).toEqual([""]);
  expect(line?.split("\r")).toEqual([
    "",
    `[${"-".repeat(30)}]   0/4 rooms`,
    `[${"#".repeat(15)}${"-".repeat(15)}]   2/4 rooms`,
    `[${"#".repeat(30)}]   4/4 rooms`,
  ]);
});

test("Progress writes one line per new amount to a file, without control characters", () => {
  expect(shownOn(false)).toBe("0/4 rooms\n2/4 rooms\n4/4 rooms\n");
  let lines = 0;
  const progress = createProgress({ write: () => (lines += 1) }, "rooms", 500);
  for (let done = 0; done <= 500; done++) progress.show(done);
  expect(lines).toBe(21);
});

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
