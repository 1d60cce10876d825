/** The check of the check: each deliberate bug must be caught within the histories of the short run. */
import { expect, test } from "vitest";
import { mutants, plant, simulationOf } from "./mutants.ts";
import { shortRun } from "./short-run.ts";

test.each(mutants)("a gateway that $bug is caught", { timeout: 120_000 }, async (mutant) => {
  const { folder, remove } = await plant(mutant);
  try {
    const { explore } = await simulationOf(folder);
    const { failure } = await explore(shortRun);
    expect(failure?.violation.promise).toMatch(/^[GI]\d/);
  } finally {
    await remove();
  }
});
