/** Explores small scenarios completely; `npm run explore` has more scenarios and faults. */
import { expect, test } from "vitest";
import { explainFailure, exploreScenario } from "./exploration/explore-scenarios.ts";
import { scenarios } from "./exploration/scenarios.ts";

const short = Object.entries(scenarios).flatMap(([name, scenario]) => {
  const faults = scenario.faults.short;
  return faults === undefined ? [] : [{ name, scenario, faults }];
});

test.each(short)(
  'No history of the scenario "$name" breaks a promise',
  { timeout: 240_000 },
  async ({ scenario, faults }) => {
    const { failure, isComplete, complete } = await exploreScenario(scenario, faults);
    expect(failure && explainFailure(failure.what)).toBeUndefined();
    expect(isComplete).toBe(true);
    expect(complete).toBeGreaterThan(0);
  },
);
