/** All scenarios that are explored: those of the gateway, and those of the operator's commands. */
import { exploreScenario } from "../../test/simulation/exploration/explore-scenarios.ts";
import type { Limits, Scenario } from "../../test/simulation/exploration/scenario.ts";
import { scenarios } from "../../test/simulation/exploration/scenarios.ts";
import type { PromiseName } from "../../test/simulation/ledger.ts";
import { retirementScenarios } from "../ops/test/retirement-scenarios.ts";

export { foundViolation, runHistories } from "../../test/simulation/run-histories.ts";

export const allScenarios: Readonly<Record<string, Scenario>> = { ...scenarios, ...retirementScenarios };

/** Returns the promise that a scenario finds broken within these limits, or undefined. */
export async function brokenPromise(name: string, limits: Limits): Promise<PromiseName | undefined> {
  const scenario = allScenarios[name];
  if (!scenario) throw new Error(`there is no scenario "${name}"`);
  return (await exploreScenario(scenario, limits)).failure?.what.violation.promise;
}
