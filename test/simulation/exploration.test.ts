/** Explores small scenarios completely; `npm run explore` does the same with more faults and with every planted bug. */
import { expect, test } from "vitest";
import { explainFailure, exploreScenario } from "./exploration/explore-scenarios.ts";
import { scenarios } from "./exploration/scenarios.ts";
import { findByExploration } from "./plant-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

test.each(Object.entries(scenarios))(
  'No history of the scenario "%s" breaks a promise',
  { timeout: 240_000 },
  async (_, scenario) => {
    const { failure, isComplete, complete } = await exploreScenario(scenario, scenario.faults.short);
    expect(failure && explainFailure(failure.what)).toBeUndefined();
    expect(isComplete).toBe(true);
    expect(complete).toBeGreaterThan(0);
  },
);

test("Each planted bug names an existing scenario or the reason for having none", () => {
  const named = plantedBugs.flatMap(({ scenario }) => (typeof scenario === "string" ? [scenario] : []));
  expect(named.length).toBeGreaterThan(0);
  expect(Object.keys(scenarios)).toEqual(expect.arrayContaining(named));
});

test.each(plantedBugs.filter(({ isExploredInEveryTestRun }) => isExploredInEveryTestRun))(
  'The scenario "$scenario" reports $breaks if the gateway $bug',
  { timeout: 240_000 },
  async (plantedBug) => {
    expect((await findByExploration(plantedBug))?.promise).toBe(plantedBug.breaks);
  },
);
