/** Runs histories by their seeds; a failing one is shrunk, and told with the command that runs it again. */
import fc from "fast-check";
import { histories } from "./arbitrary-history.ts";
import { settleAndAudit } from "./audit.ts";
import { startStep } from "./commands.ts";
import type { History } from "./history.ts";
import type { Violation } from "./ledger.ts";
import { maxRooms } from "./processes.ts";
import { request } from "./requests.ts";
import { createWorld } from "./world.ts";

export interface Outcome {
  readonly violations: readonly Violation[];
  /** Successful creates. */
  readonly claims: number;
}

/** One history from an empty platform to the audit; the same history always has the same outcome. */
export async function runHistory(history: History, trace?: (line: string) => void): Promise<Outcome> {
  const world = createWorld(history, trace);
  void request(world, 0, "bulkCreateRooms", {}, world.quietPlan());
  const isFull = () => world.queues.pool.contents().length === maxRooms && world.running.size === 0;
  if (!(await world.scheduler.advance(600_000, isFull)))
    world.ledger.violated("harness", "the pool was not filled");
  await world.scheduler.advance(120_000);
  world.setFaults(true);
  for (const step of history.steps) {
    trace?.(`--- ${JSON.stringify(step.command)}`);
    startStep(world, step);
    await world.scheduler.advance(step.pauseMilliseconds);
  }
  trace?.("--- faults end");
  await settleAndAudit(world, history);
  return { violations: world.ledger.violations, claims: world.ledger.handedOut.size };
}

export interface Exploration {
  readonly histories: number;
  readonly claims: number;
  /** The first history that broke a promise. */
  readonly failure?: { readonly seed: number; readonly violation: Violation } | undefined;
}

export interface ExploreOptions {
  readonly firstSeed: number;
  /** Whether to go on after so many histories and claims. */
  readonly goesOn: (histories: number, claims: number) => boolean;
}

/** Runs one history a seed until one breaks a promise or enough are run. */
export async function explore({ firstSeed, goesOn }: ExploreOptions): Promise<Exploration> {
  let count = 0;
  let claims = 0;
  while (goesOn(count, claims)) {
    const seed = firstSeed + count;
    const outcome = await runHistory(historyOf(seed));
    count += 1;
    claims += outcome.claims;
    const violation = outcome.violations[0];
    if (violation) return { histories: count, claims, failure: { seed, violation } };
  }
  return { histories: count, claims };
}

/** The history that belongs to a seed. */
export function historyOf(seed: number): History {
  const [history] = fc.sample(histories, { seed, numRuns: 1 });
  if (!history) throw new Error("there is no history");
  return history;
}

/** Shrinks the failing history of a seed as far as the same promise stays broken, and says how to run it again. */
export async function explain(seed: number, { promise }: Violation): Promise<string> {
  const property = fc.asyncProperty(histories, async (history) => {
    const { violations } = await runHistory(history);
    return !violations.some((violation) => violation.promise === promise);
  });
  const { counterexample } = await fc.check(property, { seed, numRuns: 1 });
  const shrunk = counterexample?.[0] ?? historyOf(seed);
  const lines: string[] = [];
  const { violations } = await runHistory(shrunk, (line) => lines.push(line));
  return [
    ...violations.map((violation) => `${violation.promise}: ${violation.text}`),
    `The shortest history found that breaks ${promise}:`,
    ...JSON.stringify(shrunk)
      .split(/(?<=\}),(?=\{"command")/)
      .map((step) => `  ${step},`),
    "What happened in it:",
    ...lines.map((line) => `  ${line}`),
    `Run it again: npm run soak -- --seed ${seed}`,
  ].join("\n");
}
