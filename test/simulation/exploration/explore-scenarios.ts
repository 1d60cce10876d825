/** Tries every choice in a scenario: re-runs it with a prefix of choices, and stops where a known state is reached. */
import { createHash } from "node:crypto";
import { type Choose, type Failure, runScenario } from "./run-scenario.ts";
import type { Limits, Scenario } from "./scenario.ts";

const maxRuns = 1_000_000;

/**
 * Tries every history of a scenario within these limits; stops at the first one that breaks a promise. With
 * `shortestFirst`, which is slower, that one has the fewest steps.
 */
export async function exploreScenario(scenario: Scenario, limits: Limits, shortestFirst = false) {
  const { maxStates = Number.POSITIVE_INFINITY } = limits;
  const known = new Set<string>();
  const prefixes: number[][] = [[]];
  let runs = 0;
  /** Histories that ran to their end. */
  let complete = 0;
  let failure: Failure | undefined;

  while (!failure && runs < maxRuns && known.size < maxStates) {
    const prefix = shortestFirst ? prefixes.shift() : prefixes.pop();
    if (!prefix) break;
    runs += 1;
    const choices: number[] = [];
    const take = (index: number) => {
      choices.push(index);
      return index;
    };
    const choose: Choose = (stateKey, count) => {
      const replayed = prefix[choices.length];
      if (replayed !== undefined) return take(replayed);
      const key = createHash("sha1").update(stateKey()).digest("base64");
      // Every choice has been tried from there.
      if (known.has(key)) return undefined;
      known.add(key);
      if (count === 0) complete += 1;
      const next = Array.from({ length: count }, (_, index) => [...choices, index]);
      prefixes.push(...(shortestFirst ? next : next.slice(1).toReversed()));
      return shortestFirst || count === 0 ? undefined : take(0);
    };
    failure = await runScenario(scenario, limits, choose);
  }
  /** Whether nothing was left to try within the limits. */
  const isComplete = !failure && (prefixes.length === 0 || known.size >= maxStates);
  return { complete, states: known.size, isComplete, failure };
}

/** Describes a failure for a person. */
export function explainFailure({ violation, history }: Failure): string {
  return [
    `${violation.promise}: ${violation.text}`,
    "A history that breaks it:",
    ...history.map((step, index) => `  ${index + 1}. ${step}`),
  ].join("\n");
}
