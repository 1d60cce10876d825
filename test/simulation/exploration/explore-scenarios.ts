/** Explores scenarios and finds the shortest history of a failure. */
import { type Search, search } from "./chooser.ts";
import { type Failure, runScenario } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";

export type Exploration = Search<Failure>;

const maxRuns = 1_000_000;

/** Tries every history of a scenario with up to this many faults; stops at the first one that breaks a promise. */
export async function exploreScenario(scenario: Scenario, faults: number): Promise<Exploration> {
  return search(async (chooser) => runScenario(scenario, faults, chooser), { order: "depth-first", maxRuns });
}

/** Returns the history with the fewest steps that breaks a promise. */
export async function shortestFailure(scenario: Scenario, faults: number): Promise<Failure | undefined> {
  const run = async (chooser: Parameters<typeof runScenario>[2]) => runScenario(scenario, faults, chooser);
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
