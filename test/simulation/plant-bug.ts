/** Runs the simulation or the exploration on a copy of the sources with one planted bug. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { brokenPromise } from "./exploration/explore-scenarios.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import type { firstViolation, Violation } from "./run-histories.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const copied = [
  "package.json",
  "src",
  "client/src/service-tag.ts",
  "local/gateway/gateway-settings.ts",
  "local/gateway/identities.ts",
  "local/process/seeded-random.ts",
  "test/simulation",
  "test/support/memory-queue.ts",
  "test/support/memory-record-store.ts",
  "test/support/open-access.ts",
];

/** Returns the first violation in the short run of a gateway with this bug, or undefined if there is none. */
export async function violationWith(bug: PlantedBug): Promise<Violation | undefined> {
  return inCopyWith(bug, async (copiedRoot) => {
    const copy: { firstViolation: typeof firstViolation } = await import(
      new URL("test/simulation/run-histories.ts", copiedRoot).href
    );
    return copy.firstViolation();
  });
}

/** Returns the promise that the bug's scenario finds broken by a gateway with this bug. */
export async function brokenPromiseWith(bug: PlantedBug): Promise<string | undefined> {
  const { scenario, scenarioFaults = 1 } = bug;
  if (typeof scenario !== "string") throw new Error(`no scenario finds that the gateway ${bug.bug}`);
  return inCopyWith(bug, async (copiedRoot) => {
    const copy: { brokenPromise: typeof brokenPromise } = await import(
      new URL("test/simulation/exploration/explore-scenarios.ts", copiedRoot).href
    );
    return copy.brokenPromise(scenario, scenarioFaults);
  });
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
    let text = await readFile(join(folder, file), "utf8");
    for (const [from, to] of edits) {
      if (text.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`);
      text = text.replace(from, () => to);
    }
    await writeFile(join(folder, file), text);
    return await run(pathToFileURL(`${folder}/`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
