/** Runs the simulation or the exploration on the same sources with one planted bug, without copying or changing a file. */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import type { PromiseName } from "../../test/simulation/ledger.ts";
import type { foundViolation, runHistories } from "../../test/simulation/run-histories.ts";
import type { brokenPromise } from "./all-scenarios.ts";
import type { PlantedBug } from "./planted-bugs.ts";

const root = new URL("../../", import.meta.url).href;
// What is loaded once more for each bug; everything else is shared.
const reloaded = ["src", "test", "tools/ops", "tools/nightly"].map((folder) => `${root}${folder}/`);
const planted: PlantedBug[] = [];

registerHooks({
  /** Whatever a module with a planted bug imports has the same bug. */
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const { search } = new URL(context.parentURL ?? root);
    const isReloaded = search !== "" && reloaded.some((folder) => resolved.url.startsWith(folder));
    return isReloaded ? { ...resolved, url: `${resolved.url}${search}` } : resolved;
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const [fileUrl = "", index] = url.split("?bug=");
    const bug = index === undefined ? undefined : planted[Number(index)];
    if (!bug) return loaded;
    const file = fileUrl.slice(root.length);
    let text = readFileSync(new URL(fileUrl), "utf8");
    for (const [from, to, editedFile = bug.file] of bug.edits) {
      if (editedFile !== file) continue;
      if (text.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`);
      text = text.replace(from, () => to);
    }
    return { ...loaded, source: text };
  },
});

/** The promise that was found broken, and what found it. */
export interface Finding {
  readonly promise: PromiseName;
  readonly by: string;
}

interface Simulation {
  readonly runHistories: typeof runHistories;
  readonly foundViolation: typeof foundViolation;
}

interface Exploration {
  readonly brokenPromise: typeof brokenPromise;
}

/** Returns how a bug can be found: each function imports the simulation with the bug and runs a part of it. */
export function plant(bug: PlantedBug) {
  const index = planted.push(bug) - 1;
  const load = async (file: string) => import(`${root}${file}?bug=${index}`);
  const simulation = async (): Promise<Simulation> => load("test/simulation/run-histories.ts");

  return {
    /** Random histories. They contain no command of the operator. */
    async byRandomHistories(maxCount: number): Promise<Finding | undefined> {
      if (bug.file.startsWith("tools/ops/")) return undefined;
      const continues = (count: number) => count < maxCount;
      const { histories, failure } = await (await simulation()).runHistories({ firstSeed: 1, continues });
      return failure && { promise: failure.violation.promise, by: `random history ${histories}` };
    },

    /** The histories that were found earlier, which are fast. */
    async byFoundHistories(): Promise<Finding | undefined> {
      const violation = await (await simulation()).foundViolation();
      return violation && { promise: violation.promise, by: "a history that was found earlier" };
    },

    /** The bug's scenario, if it has one. */
    async byExploration(): Promise<Finding | undefined> {
      const { scenario, scenarioFaults = 1 } = bug;
      if (scenario === undefined) return undefined;
      const exploration: Exploration = await load("tools/nightly/all-scenarios.ts");
      const promise = await exploration.brokenPromise(scenario, scenarioFaults);
      return promise && { promise, by: `the scenario "${scenario}"` };
    },
  };
}
