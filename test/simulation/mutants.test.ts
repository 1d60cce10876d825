/** The check of the check: each deliberate bug must be caught within the histories of the short run. */
import { expect, test } from "vitest";
import { mutants } from "./mutants.ts";
import { plant, shortRunOf } from "./plant-mutant.ts";

test.each(mutants)("a gateway that $bug is caught", { timeout: 240_000 }, async (mutant) => {
  const { folder, remove } = await plant(mutant);
  try {
    const { firstViolation } = await shortRunOf(folder);
    const violation = await firstViolation();
    expect(violation?.promise).toBe(mutant.breaks);
  } finally {
    await remove();
  }
});
