/** `npm run chaos`: runs the deployed bundle in several instances that are killed, on connections that fail. */
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { stopSignal } from "../local/process/stop-signal.ts";
import { createCommand, wholeNumber } from "../local/terminal/create-command.ts";
import { fullRun, runChaos, shortRun } from "./chaos.ts";
import { describeFindings } from "./findings.ts";

const options = createCommand(
  "npm run chaos",
  "Kills instances and cuts connections while rooms are created. Exits with 1 if a promise is broken.",
)
  .option("--short", "Takes one minute instead of about ten.")
  .option("--seed <seed>", "Repeats the choice of faults.", wholeNumber(0, 2 ** 32))
  .option("--claims <number>", "How many rooms are created.", wholeNumber(1, 1_000_000))
  .option("--bundle <file>", "A bundle to run instead of the current sources.")
  .option("--log <file>", "The file for everything that the instances log.")
  .parse()
  .opts();

const stopping = stopSignal();
const startedAt = performance.now();
const print = (text: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${String(seconds).padStart(4)} s  ${text}`);
};
const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
const size = options.short ? shortRun : fullRun;
const log = options.log === undefined ? undefined : createWriteStream(options.log);
try {
  print(`seed ${seed} (it repeats the choice of faults, but not the timing of the processes)`);
  const findings = await runChaos({
    size: { ...size, claims: options.claims ?? size.claims },
    seed,
    bundlePath: options.bundle === undefined ? undefined : resolve(options.bundle),
    print,
    onLogLine: (line) => void log?.write(`${line}\n`),
    stopping,
  });
  console.log(describeFindings(findings));
  process.exitCode = findings.every(({ isOk }) => isOk) ? 0 : 1;
} catch (error) {
  if (!stopping.aborted) throw error;
  print("stopped early: nothing was checked");
  process.exitCode = 1;
} finally {
  log?.end();
}
