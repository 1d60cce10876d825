/** `npm run chaos`: runs the deployed bundle in several instances that are killed, on connections that fail. */

import { createCommand, wholeNumber } from "../local/terminal/create-command.ts";
import { endOnSignal } from "../simulators/process/stop-signal.ts";
import { runChaos } from "./chaos.ts";
import { describeFindings } from "./findings.ts";

// Far more than the claims take, so a busy computer does not shorten the run.
const maxLoadSeconds = 1800;

const { seed = Math.floor(Math.random() * 2 ** 32), claims = 2000 } = createCommand(
  "npm run chaos",
  "Kills instances and cuts connections while rooms are created. Exits with 1 if a promise is broken.",
)
  .option("--seed <seed>", "Repeats the choice of faults.", wholeNumber(0, 2 ** 32))
  .option("--claims <number>", "How many rooms are created. Default: 2000.", wholeNumber(1, 1_000_000))
  .parse()
  .opts();

endOnSignal("Nothing was checked.");
const startedAt = performance.now();
const print = (text: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${String(seconds).padStart(4)} s  ${text}`);
};
print(`seed ${seed} (it repeats the choice of faults, but not the timing of the processes)`);
const findings = await runChaos({ claims, maxLoadSeconds, seed, print });
console.log(describeFindings(findings));
process.exitCode = findings.every(({ isOk }) => isOk) ? 0 : 1;
