/** Checks the simulation itself on five planted bugs; `npm run soak` checks it on all of them. */
import { expect, test } from "vitest";
import { violationWith } from "./plant-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

const bugsOfEveryTestRun = plantedBugs.filter(({ isInEveryTestRun }) => isInEveryTestRun);

test("Five planted bugs are marked for every test run", () => {
  expect(bugsOfEveryTestRun).toHaveLength(5);
});

test.each(bugsOfEveryTestRun)(
  "The simulation reports $breaks if the gateway $bug",
  { timeout: 240_000 },
  async (plantedBug) => {
    const violation = await violationWith(plantedBug);
    expect(violation?.promise).toBe(plantedBug.breaks);
  },
);
