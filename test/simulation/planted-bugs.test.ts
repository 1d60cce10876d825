/** Checks the simulation itself on the planted bugs; `npm run soak` does so with more random histories. */
import { expect, test } from "vitest";
import { findByExploration, findByFoundHistories, findByRandomHistories } from "./plant-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

const maxHistories = 300;

test.each(plantedBugs.filter(({ isFoundBySoakOnly }) => !isFoundBySoakOnly))(
  "The simulation or the exploration reports $breaks if the gateway $bug",
  { timeout: 240_000 },
  async (plantedBug) => {
    const found =
      (await findByFoundHistories(plantedBug)) ??
      (await findByExploration(plantedBug)) ??
      (await findByRandomHistories(plantedBug, maxHistories));
    expect(found?.promise).toBe(plantedBug.breaks);
  },
);
