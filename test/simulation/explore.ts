/**
 * `npm run explore`: tries every order of effects, every crash point and every fault in small scenarios, then checks
 * that each planted bug is found by the scenario that it belongs to. `-- --short` tries fewer faults; `-- --only
 * <scenario>` explores one scenario and plants no bugs.
 */
import { parseArgs } from "node:util";
import { explainFailure, exploreScenario, shortestFailure } from "./exploration/explore-scenarios.ts";
import { scenarios } from "./exploration/scenarios.ts";
import { findByExploration } from "./plant-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

const { only, short } = readOptions();
const form = short ? "short" : "whole";
const names = only === undefined ? Object.keys(scenarios) : [only];
const header = ["scenario", "faults", "histories", "merged", "states", "complete", "violations", "seconds"];
const widths = [46, 6, 9, 9, 9, 8, 10, 7];
const row = (cells: readonly (string | number)[]) =>
  cells
    .map((cell, index) =>
      index === 0 ? String(cell).padEnd(widths[0] ?? 0) : String(cell).padStart(widths[index] ?? 0),
    )
    .join("  ");

console.log(row(header));
for (const name of names) await report(name);
if (only === undefined && !short) await checkPlantedBugs();

async function report(name: string): Promise<void> {
  const scenario = scenarios[name];
  if (!scenario) return;
  const startedAt = performance.now();
  const faults = scenario.faults[form];
  const { complete, merged, states, isComplete, failure } = await exploreScenario(scenario, faults);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    row([name, faults, complete, merged, states, isComplete ? "yes" : "no", failure ? 1 : 0, seconds]),
  );
  if (!isComplete) process.exitCode = 1;
  if (failure) console.error(explainFailure((await shortestFailure(scenario, faults)) ?? failure.what));
}

async function checkPlantedBugs(): Promise<void> {
  for (const plantedBug of plantedBugs) {
    const { bug, scenario, breaks } = plantedBug;
    if (typeof scenario !== "string") {
      console.log(`skipped  a gateway that ${bug}: ${scenario.reason}`);
      continue;
    }
    const found = (await findByExploration(plantedBug))?.promise;
    const isFound = found === breaks;
    console.log(
      `${isFound ? "found" : "MISSED"}  ${found ?? "nothing"} in "${scenario}": a gateway that ${bug}`,
    );
    if (!isFound) process.exitCode = 1;
  }
}

function readOptions(): { only: string | undefined; short: boolean } {
  try {
    const { values } = parseArgs({
      options: { only: { type: "string" }, short: { type: "boolean", default: false } },
    });
    if (values.only !== undefined && !(values.only in scenarios))
      throw new Error(
        `there is no scenario "${values.only}"; there are: ${Object.keys(scenarios).join("; ")}`,
      );
    return { only: values.only, short: values.short };
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return process.exit(2);
  }
}
