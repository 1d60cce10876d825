/** Checks the simulation itself on all planted bugs, as `npm run soak` does. */
import { expect, test } from "vitest";
import { findByExploration, findByFoundHistories, findByRandomHistories } from "./plant-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

test.each(plantedBugs)(
  "The simulation or the exploration reports $breaks if the gateway $bug",
  { timeout: 240_000 },
  async (plantedBug) => {
    const found =
      (await findByFoundHistories(plantedBug)) ??
      (await findByRandomHistories(plantedBug)) ??
      (await findByExploration(plantedBug));
    expect(found?.promise).toBe(plantedBug.breaks);
  },
);
