/** Explores small scenarios completely; `npm run explore` does the same with more faults and with every planted bug. */
import { expect, test } from "vitest";
import { brokenPromiseWith, scenariosOfBugs } from "./exploration/bugs.ts";
import { explainFailure, exploreScenario } from "./exploration/explore-scenarios.ts";
import { scenarios } from "./exploration/scenarios.ts";
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

test("Each planted bug has a scenario or a reason to have none", () => {
  expect(Object.keys(scenariosOfBugs).toSorted()).toEqual(plantedBugs.map(({ bug }) => bug).toSorted());
});

const bugsOfEveryTestRun = plantedBugs.flatMap((plantedBug) => {
  const home = scenariosOfBugs[plantedBug.bug];
  return home && "scenario" in home && home.isInEveryTestRun ? [{ plantedBug, home }] : [];
});

test.each(bugsOfEveryTestRun)(
  'The scenario "$home.scenario" reports $home.breaks if the gateway $plantedBug.bug',
  { timeout: 240_000 },
  async ({ plantedBug, home }) => {
    expect(await brokenPromiseWith(plantedBug, home)).toBe(home.breaks);
  },
);
