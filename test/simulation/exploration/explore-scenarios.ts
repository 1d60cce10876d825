/** Explores scenarios and finds the shortest history of a failure. */
import { type Search, search } from "./chooser.ts";
import { type Failure, runScenario } from "./run-scenario.ts";
import type { Limits, Scenario } from "./scenario.ts";

export type Exploration = Search<Failure>;

const maxRuns = 1_000_000;

/** Tries every history of a scenario within these limits; stops at the first one that breaks a promise. */
export async function exploreScenario(scenario: Scenario, limits: Limits): Promise<Exploration> {
  return search(async (chooser) => runScenario(scenario, limits, chooser), { order: "depth-first", maxRuns });
}

/** Returns the history with the fewest steps that breaks a promise. */
export async function shortestFailure(scenario: Scenario, limits: Limits): Promise<Failure | undefined> {
  const run = async (chooser: Parameters<typeof runScenario>[2]) => runScenario(scenario, limits, chooser);
  return (await search(run, { order: "breadth-first", maxRuns })).failure?.what;
}

/** Describes a failure for a person. */
export function explainFailure({ violation, history }: Failure): string {
  return [
    `${violation.promise}: ${violation.text}`,
    "The shortest history that breaks it:",
    ...history.map((step, index) => `  ${index + 1}. ${step}`),
  ].join("\n");
}
