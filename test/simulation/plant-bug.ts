/** Runs the simulation or the exploration on a copy of the sources with one planted bug. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { brokenPromise } from "./exploration/explore-scenarios.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import type { PromiseName } from "./promises.ts";
import type { foundViolation, runHistories } from "./run-histories.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const copied = [
  "package.json",
  "src",
  "client/src/service-tag.ts",
  "tools/local/stack/gateway-settings.ts",
  "tools/local/stack/identities.ts",
  "tools/local/process/seeded-random.ts",
  "tools/ops/pool/retirement.ts",
  "test/simulation",
  "test/support/memory-queue.ts",
  "test/support/memory-record-store.ts",
  "test/support/open-access.ts",
];

/** The promise that was found broken, and what found it. */
export interface Finding {
  readonly promise: PromiseName;
  readonly by: string;
}

// The rarest planted bug shows in about one of 1,500 histories.
const maxHistories = 6000;

/** Returns what random histories find in a gateway with this bug. */
export async function findByRandomHistories(
  bug: PlantedBug,
  maxCount = maxHistories,
): Promise<Finding | undefined> {
  // Random histories contain no command of the operator.
  if (bug.file.startsWith("tools/ops/")) return undefined;
  return inCopyWith(bug, async (copiedRoot) => {
    const copy = await simulationOf(copiedRoot);
    const { histories, failure } = await copy.runHistories({
      firstSeed: 1,
      continues: (count) => count < maxCount,
    });
    return failure && { promise: failure.violation.promise, by: `random history ${histories}` };
  });
}

/** Returns what the known histories find, which are fast. */
export async function findByFoundHistories(bug: PlantedBug): Promise<Finding | undefined> {
  return inCopyWith(bug, async (copiedRoot) => {
    const copy = await simulationOf(copiedRoot);
    const violation = await copy.foundViolation();
    return violation && { promise: violation.promise, by: "a history that was found earlier" };
  });
}

/** Returns what the bug's scenario finds, or undefined if it finds nothing or the bug has no scenario. */
export async function findByExploration(bug: PlantedBug): Promise<Finding | undefined> {
  const { scenario, scenarioFaults = 1 } = bug;
  if (typeof scenario !== "string") return undefined;
  return inCopyWith(bug, async (copiedRoot) => {
    const copy: { brokenPromise: typeof brokenPromise } = await import(
      new URL("test/simulation/exploration/explore-scenarios.ts", copiedRoot).href
    );
    const promise = await copy.brokenPromise(scenario, scenarioFaults);
    return promise === undefined ? undefined : { promise, by: `the scenario "${scenario}"` };
  });
}

interface Simulation {
  readonly runHistories: typeof runHistories;
  readonly foundViolation: typeof foundViolation;
}

async function simulationOf(copiedRoot: URL): Promise<Simulation> {
  return import(new URL("test/simulation/run-histories.ts", copiedRoot).href);
}

/** Runs something in a copy of the sources with this bug. Throws an error if an edit does not fit the file. */
async function inCopyWith<Result>(
  { file, edits }: PlantedBug,
  run: (copiedRoot: URL) => Promise<Result>,
): Promise<Result> {
  await mkdir(join(root, ".tmp"), { recursive: true });
  const folder = await mkdtemp(join(root, ".tmp", "planted-bug-"));
  try {
    for (const path of copied) await cp(join(root, path), join(folder, path), { recursive: true });
    for (const [from, to, otherFile = file] of edits) {
      const text = await readFile(join(folder, otherFile), "utf8");
      if (text.split(from).length !== 2) throw new Error(`${otherFile} must contain exactly once: ${from}`);
      await writeFile(
        join(folder, otherFile),
        text.replace(from, () => to),
      );
    }
    return await run(pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
