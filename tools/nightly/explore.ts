/** `npm run explore`: tries every order of effects, every crash point and every fault in small scenarios. */
import { Option } from "@commander-js/extra-typings";
import {
  explainFailure,
  exploreScenario,
  shortestFailure,
} from "../../test/simulation/exploration/explore-scenarios.ts";
import { createCommand } from "../local/terminal/create-command.ts";

import { allScenarios } from "./all-scenarios.ts";

const { only, short } = createCommand("npm run explore", "Explores small scenarios completely.")
  .option("--short", "Tries fewer faults and scenarios.")
  .addOption(new Option("--only <scenario>", "Explores one scenario.").choices(Object.keys(allScenarios)))
  .parse()
  .opts();
const form = short ? "short" : "whole";
const names = only === undefined ? Object.keys(allScenarios) : [only];
const header = ["scenario", "faults", "histories", "merged", "states", "complete", "violations", "seconds"];
const widths = [46, 6, 9, 9, 9, 8, 10, 7];
const row = (cells: readonly (string | number)[]) =>
  cells
    .map((cell, index) =>
      index === 0 ? String(cell).padEnd(widths[0] ?? 0) : String(cell).padStart(widths[index] ?? 0),
    )
    .join("  ");

console.log(row(header));
for (const [index, name] of names.entries()) {
  // The progress goes to standard error, so the table stays intact.
  console.error(`${index + 1} of ${names.length}: ${name} ...`);
  await report(name);
}

async function report(name: string): Promise<void> {
  const scenario = allScenarios[name];
  const faults = scenario?.faults[form];
  if (!scenario || faults === undefined) return;
  const startedAt = performance.now();
  const { complete, merged, states, isComplete, failure } = await exploreScenario(scenario, faults);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    row([name, faults, complete, merged, states, isComplete ? "yes" : "no", failure ? 1 : 0, seconds]),
  );
  if (!isComplete) process.exitCode = 1;
  if (failure) console.error(explainFailure((await shortestFailure(scenario, faults)) ?? failure.what));
}
