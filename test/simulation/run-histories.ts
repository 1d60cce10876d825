/** Runs histories by their seeds. A failing one is shrunk and printed with the command that repeats it. */
import fc from "fast-check";
import { settleAndAudit } from "./audit.ts";
import { request } from "./callers.ts";
import { factsOf, type History, histories } from "./history.ts";
import type { Violation } from "./ledger.ts";
import { startStep } from "./start-step.ts";
import { createWorld } from "./world.ts";

/**
 * Runs one history from an empty platform to the audit, and counts its successful creates, the claims. The same history
 * always has the same outcome.
 */
async function runHistory(history: History, trace?: (line: string) => void) {
  const world = createWorld(history, { trace });
  const { clock, queues, level, running, ledger } = world;
  void request(world, 0, "bulkCreateRooms", {}, world.planWithoutFaults());
  const isFull = () => queues.pool.contents().length === level.max && running.size === 0;
  if (!(await clock.advance(600_000, isFull)))
    ledger.violated("pool-level-wrong", "bulk create did not fill the pool");
  await clock.advance((world.readyDelaySeconds + 30) * 1000);
  world.setFaults(true);
  for (const step of history.steps) {
    trace?.(`--- ${JSON.stringify(step.command)}`);
    startStep(world, step);
    await clock.advance(step.pauseMilliseconds);
  }
  trace?.("--- faults end");
  await settleAndAudit(world, factsOf(history));
  return { violations: ledger.violations, claims: ledger.handedOut.size };
}

/**
 * Runs one history per seed until one breaks a promise, the `failure`, or `continues` returns false for the numbers of
 * histories and claims.
 */
export async function runHistories(
  firstSeed: number,
  continues: (histories: number, claims: number) => boolean,
) {
  let count = 0;
  let claims = 0;
  while (continues(count, claims)) {
    const seed = firstSeed + count;
    const outcome = await runHistory(historyOf(seed));
    count += 1;
    claims += outcome.claims;
    const violation = outcome.violations[0];
    if (violation) return { histories: count, claims, failure: { seed, violation } };
  }
  return { histories: count, claims };
}

/** Returns the history that belongs to a seed. */
function historyOf(seed: number): History {
  const [history] = fc.sample(histories, { seed, numRuns: 1 });
  if (!history) throw new Error("fast-check made no history");
  return history;
}

/** Shrinks the failing history of a seed as long as the same promise is broken, and describes how to repeat it. */
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
    `To repeat it: npm run soak -- --seed ${seed}`,
  ].join("\n");
}
