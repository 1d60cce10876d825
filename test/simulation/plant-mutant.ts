/** Makes a copy of the sources with one deliberate bug, and runs the simulation on that copy. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Mutant } from "./mutants.ts";
import type { firstViolation } from "./short-run.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const copied = ["package.json", "src", "test/simulation", "test/support/memory-queue.ts"];

/** Makes a copy of the sources with one bug; throws when an edit does not fit. The folder is the caller's to remove. */
export async function plant({
  file,
  edits,
}: Mutant): Promise<{ folder: string; remove: () => Promise<void> }> {
  await mkdir(join(root, ".tmp"), { recursive: true });
  const folder = await mkdtemp(join(root, ".tmp", "mutant-"));
  for (const path of copied) await cp(join(root, path), join(folder, path), { recursive: true });
  let text = await readFile(join(folder, file), "utf8");
  for (const [from, to] of edits) {
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`);
    text = text.replace(from, () => to);
  }
  await writeFile(join(folder, file), text);
  return { folder, remove: async () => rm(folder, { recursive: true, force: true }) };
}

/** The short run of such a copy. */
export async function shortRunOf(folder: string): Promise<{ firstViolation: typeof firstViolation }> {
  return import(pathToFileURL(join(folder, "test/simulation/short-run.ts")).href);
}
