/**
 * Plants bugs in copies of the sources. The nightly run has this: the exploration must find each, whatever the clocks
 * say.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { bugs } from "./planted-bugs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const copied = ["src", "test/simulation", "test/support", "tools/simulators", "package.json"];

test.each(bugs)(
  'A gateway that $bug breaks a promise in the scenario "$scenario"',
  async ({ breaks, scenario, faults, edits }) => {
    await mkdir(join(root, ".tmp"), { recursive: true });
    const copy = await mkdtemp(join(root, ".tmp/planted-"));
    onTestFinished(async () => rm(copy, { recursive: true }));
    for (const path of copied) await cp(join(root, path), join(copy, path), { recursive: true });
    for (const [file, from, to] of edits) {
      const path = join(copy, file);
      const source = await readFile(path, "utf8");
      await writeFile(
        path,
        source.replace(from, () => to),
      );
    }
    const folder = join(copy, "test/simulation/exploration");
    const { scenarios }: typeof import("./exploration/scenarios.ts") = await import(`${folder}/scenarios.ts`);
    const { exploreScenario }: typeof import("./exploration/explore-scenarios.ts") = await import(
      `${folder}/explore-scenarios.ts`
    );
    const explored = scenarios[scenario];
    if (!explored) throw new Error(`there is no scenario "${scenario}"`);
    for (const skewMilliseconds of [0, -5000, 5000]) {
      const { failure } = await exploreScenario(explored, { faults, skewMilliseconds });
      expect({ skewMilliseconds, promise: failure?.violation.promise }).toEqual({
        skewMilliseconds,
        promise: breaks,
      });
    }
  },
);
