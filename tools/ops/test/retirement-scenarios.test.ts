/** Explores the operator's commands beside the gateway; `npm run explore` tries faults as well. */
import { expect, test } from "vitest";
import { explainFailure, exploreScenario } from "../../../test/simulation/exploration/explore-scenarios.ts";
import { retirementScenarios } from "./retirement-scenarios.ts";

test.each(Object.entries(retirementScenarios))(
  'No history of the scenario "%s" breaks a promise',
  async (_, scenario) => {
    const { failure, isComplete, complete } = await exploreScenario(scenario, {
      faults: 0,
      skewMilliseconds: 0,
    });
    expect(failure && explainFailure(failure)).toBeUndefined();
    expect(isComplete).toBe(true);
    expect(complete).toBeGreaterThan(0);
  },
);
