/** Progress on a terminal and elsewhere. */
import { expect, test } from "vitest";
import { createProgress } from "../progress.ts";

test.each([
  {
    where: "as one line that is redrawn, on a terminal",
    isTTY: true,
    written: `\r[${"-".repeat(30)}]   0/4 rooms\r[${"#".repeat(15)}${"-".repeat(15)}]   2/4 rooms\n`,
  },
  { where: "as a line for each new amount, elsewhere", isTTY: false, written: "0/4 rooms\n2/4 rooms\n" },
])("Progress is shown $where", ({ isTTY, written }) => {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  const progress = createProgress({ isTTY, write }, "rooms", 4);
  for (const done of [0, 0, 2]) progress.show(done);
  progress.end();
  expect(text).toBe(written);
});

test("Elsewhere, about twenty lines are written at most, the last one for the whole amount", () => {
  const lines: string[] = [];
  const progress = createProgress({ write: (line) => lines.push(line) }, "rooms", 490);
  for (let done = 0; done <= 490; done++) progress.show(done);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe("490/490 rooms\n");
});
