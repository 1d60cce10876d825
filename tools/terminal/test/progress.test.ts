/** Progress on a terminal and elsewhere. */
import { expect, test } from "vitest";
import { createProgress } from "../progress.ts";

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
