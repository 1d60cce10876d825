/** The histories that every `npm test` runs: those found before, and as many new ones from fixed seeds. */
import { type ExploreOptions, explore, runHistory } from "./explore.ts";
import { foundHistories } from "./found-histories.ts";
import type { Violation } from "./ledger.ts";

export const shortRunHistories = 2000;

export const shortRun: ExploreOptions = {
  firstSeed: 1,
  goesOn: (histories) => histories < shortRunHistories,
};

/** The first promise that is broken in the whole short run. */
export async function firstViolation(): Promise<Violation | undefined> {
  for (const history of Object.values(foundHistories)) {
    const { violations } = await runHistory(history);
    if (violations[0]) return violations[0];
  }
  return (await explore(shortRun)).failure?.violation;
}
