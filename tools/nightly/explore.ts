/** `npm run explore`: tries every order of effects, every crash point and every fault in small scenarios. */
import { Option } from "@commander-js/extra-typings";
import { explainFailure, exploreScenario } from "../../test/simulation/exploration/explore-scenarios.ts";
import { type Limits, limitsOf, type Scenario } from "../../test/simulation/exploration/scenario.ts";
import { scenarios } from "../../test/simulation/exploration/scenarios.ts";
import { retirementScenarios } from "../ops/test/retirement-scenarios.ts";
import { createCommand } from "../terminal/create-command.ts";

/** Those of the gateway, and those of the operator's commands. */
const allScenarios: Readonly<Record<string, Scenario>> = { ...scenarios, ...retirementScenarios };

const { only, short } = createCommand("npm run explore", "Explores small scenarios completely.")
  .option("--short", "Tries fewer faults and scenarios.")
  .addOption(new Option("--only <scenario>", "Explores one scenario.").choices(Object.keys(allScenarios)))
  .parse()
  .opts();
const form = short ? "short" : "whole";
const names = only === undefined ? Object.keys(allScenarios) : [only];

for (const name of names) {
  const scenario = allScenarios[name];
  if (scenario) for (const limits of limitsOf(scenario, form)) await explore(name, scenario, limits);
}

async function explore(name: string, scenario: Scenario, limits: Limits): Promise<void> {
  // The progress goes to standard error, so the results stay together.
  console.error(`${name} ...`);
  const startedAt = performance.now();
  const { complete, states, isComplete, failure } = await exploreScenario(scenario, limits);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const outcome = failure ? "BROKEN" : isComplete ? "passed" : "NOT COMPLETE";
  const extent = `${limits.faults} faults, clocks ${limits.skewMilliseconds / 1000} s apart`;
  const size = `${complete} histories, ${states} states, ${seconds} s`;
  console.log(`${outcome}  ${name}: ${extent}, ${size}`);
  if (!isComplete || failure) process.exitCode = 1;
  if (!failure) return;
  const shortest = await exploreScenario(scenario, limits, true);
  console.error(explainFailure(shortest.failure ?? failure));
}
