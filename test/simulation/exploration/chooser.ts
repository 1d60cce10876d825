/** Tries every choice: re-runs from the start with a prefix of choices, and stops where a known state is reached. */
import { createHash } from "node:crypto";

export interface Chooser {
  /** Returns the index of the next transition, or undefined if nothing is left to try from here. */
  choose(stateKey: () => string, count: number): number | undefined;
}

/** Returns a description of the fault in the chosen history, or undefined. */
export type Run<Failure> = (chooser: Chooser) => Promise<Failure | undefined>;

export interface Search<Failure> {
  /** Histories that ran to their end. */
  readonly complete: number;
  /** Histories that ended in a state from which every choice had been tried. */
  readonly merged: number;
  readonly states: number;
  /** Whether nothing was left to try. */
  readonly isComplete: boolean;
  readonly failure: { readonly choices: readonly number[]; readonly what: Failure } | undefined;
}

export interface SearchOptions {
  /** `breadth-first` is slower, but the first failure that it finds has the fewest steps. */
  readonly order: "depth-first" | "breadth-first";
  readonly maxRuns: number;
}

/** Searches until every choice was tried, a history failed, or the maximum number of runs is reached. */
export async function search<Failure>(
  run: Run<Failure>,
  { order, maxRuns }: SearchOptions,
): Promise<Search<Failure>> {
  const known = new Set<string>();
  const prefixes: number[][] = [[]];
  let taken = 0;
  let runs = 0;
  let complete = 0;
  let merged = 0;
  let failure: Search<Failure>["failure"];

  while (!failure && runs < maxRuns) {
    const prefix = order === "depth-first" ? prefixes.pop() : prefixes[taken++];
    if (!prefix) break;
    runs += 1;
    const choices: number[] = [];
    const choose: Chooser["choose"] = (stateKey, count) => {
      const replayed = prefix[choices.length];
      if (replayed !== undefined) return take(replayed);
      const key = createHash("sha1").update(stateKey()).digest("base64");
      if (known.has(key)) {
        merged += 1;
        return undefined;
      }
      known.add(key);
      if (count === 0) {
        complete += 1;
        return undefined;
      }
      const isBreadthFirst = order === "breadth-first";
      const others = Array.from({ length: count }, (_, index) => [...choices, index]);
      prefixes.push(...(isBreadthFirst ? others : others.slice(1).toReversed()));
      return isBreadthFirst ? undefined : take(0);
    };
    const take = (index: number) => {
      choices.push(index);
      return index;
    };
    const what = await run({ choose });
    if (what !== undefined) failure = { choices, what };
  }
  const isComplete = !failure && taken >= (order === "depth-first" ? 0 : prefixes.length) && runs < maxRuns;
  return { complete, merged, states: known.size, isComplete, failure };
}
