/** The check of the check: each deliberate bug must be caught within the histories of the short run. */
import { expect, test } from "vitest";
import { mutants, plant, shortRunOf } from "./mutants.ts";

test.each(mutants)("a gateway that $bug is caught", { timeout: 240_000 }, async (mutant) => {
  const { folder, remove } = await plant(mutant);
  try {
    const { firstViolation } = await shortRunOf(folder);
    const violation = await firstViolation();
    expect(violation?.promise).toMatch(/^[GI]\d/);
  } finally {
    await remove();
  }
});
