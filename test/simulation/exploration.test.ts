/** Explores small scenarios; `npm run explore` has more scenarios, and tries all faults in them. */
import { expect, test } from "vitest";
import { explainFailure, exploreScenario } from "./exploration/explore-scenarios.ts";
import { limitsOf } from "./exploration/scenario.ts";
import { scenarios } from "./exploration/scenarios.ts";

const short = Object.entries(scenarios).flatMap(([name, scenario]) =>
  limitsOf(scenario, "short").map((limits) => ({ name, scenario, limits, ...limits })),
);

test.each(short)(
  'No history of the scenario "$name" with $faults faults breaks a promise',
  async ({ scenario, limits }) => {
    const { failure, isComplete, complete } = await exploreScenario(scenario, limits);
    expect(failure && explainFailure(failure)).toBeUndefined();
    expect(isComplete).toBe(true);
    expect(complete).toBeGreaterThan(0);
  },
);
