/** `npm run nightly` plants bugs; here, only their table is checked. */
import { expect, test } from "vitest";
import { allScenarios } from "../all-scenarios.ts";
import { plantedBugs } from "../planted-bugs.ts";

test("Each planted bug names an existing scenario or the reason for having none", () => {
  const named = plantedBugs.flatMap(({ scenario }) => (typeof scenario === "string" ? [scenario] : []));
  expect(named.length).toBeGreaterThan(0);
  expect(Object.keys(allScenarios)).toEqual(expect.arrayContaining(named));
});
