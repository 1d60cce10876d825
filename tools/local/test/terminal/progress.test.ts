/** Progress on a terminal and elsewhere, and lines of the app's log. */
import { expect, test } from "vitest";
import { createLogPrinter } from "../../terminal/log-printer.ts";
import { createProgress } from "../../terminal/progress.ts";

function shownOn(isTTY: boolean): string {
  let text = "";
  const progress = createProgress({ isTTY, write: (more) => (text += more) }, "rooms", 4, "  ");
  for (const done of [0, 0, 2, 4]) progress.show(done);
  progress.end();
  return text;
}

test("Progress redraws one line on a terminal and ends it with a line feed", () => {
  const [line, ...rest] = shownOn(true).split("\n");
  expect(rest).toEqual([""]);
  expect(line?.split("\r")).toEqual([
    "",
    `  [${"-".repeat(30)}]   0/4 rooms`,
    `  [${"#".repeat(15)}${"-".repeat(15)}]   2/4 rooms`,
    `  [${"#".repeat(30)}]   4/4 rooms`,
  ]);
});

test("Progress writes one line per new amount to a file, without control characters", () => {
  expect(shownOn(false)).toBe("  0/4 rooms\n  2/4 rooms\n  4/4 rooms\n");
});

test("The log printer skips entries below its level and prints each other one on one line", () => {
  const lines: string[] = [];
  const print = createLogPrinter("warning", (line) => lines.push(line));
  const category = "Function.listRooms";
  print({ level: "information", category, message: "not shown" });
  print({ level: "warning", category, message: "shown" });
  print({ level: "error", category, message: "two\n   lines\n" });
  expect(lines).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3} warning {5}Function\.listRooms: shown$/),
    expect.stringMatching(/ error {7}Function\.listRooms: two \| lines$/),
  ]);
});
