/** Runs the simulation or the exploration on the same sources with one planted bug, without copying or changing a file. */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import type { PromiseName } from "../../test/simulation/ledger.ts";
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

/**
 * Imports the simulation with a bug, and returns what finds it: its scenario, the histories that were found earlier, or up
 * to this many random ones, which contain no command of the operator.
 */
export async function findPlanted(bug: PlantedBug, maxHistories: number): Promise<Finding | undefined> {
  const simulation: typeof import("./all-scenarios.ts") = await import(
    `./all-scenarios.ts?bug=${planted.push(bug) - 1}`
  );
  const { scenario, scenarioFaults = 1 } = bug;
  if (scenario !== undefined) {
    const promise = await simulation.brokenPromise(scenario, { faults: scenarioFaults, skewMilliseconds: 0 });
    if (promise) return { promise, by: `the scenario "${scenario}"` };
  }
  const violation = await simulation.foundViolation();
  if (violation) return { promise: violation.promise, by: "a history that was found earlier" };
  const continues = (count: number) => count < (bug.file.startsWith("tools/ops/") ? 0 : maxHistories);
  const { histories, failure } = await simulation.runHistories({ firstSeed: 1, continues });
  return failure && { promise: failure.violation.promise, by: `random history ${histories}` };
}
