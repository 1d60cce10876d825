/**
 * `npm run chaos`: runs the deployed bundle in several instances that are killed, on connections that fail. Exits with 1
 * if a promise is broken. `-- --short` takes one minute instead of about ten.
 */
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { stopSignal } from "../local/process/stop-signal.ts";
import { fullRun, runChaos, shortRun } from "./chaos.ts";
import { describeFindings } from "./findings.ts";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    seed: { type: "string" },
    claims: { type: "string" },
    /** A bundle to run instead of the current sources. */
    bundle: { type: "string" },
    /** The file for everything that the instances log. */
    log: { type: "string" },
  },
});

const stopping = stopSignal();
const startedAt = performance.now();
const print = (text: string): void => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${String(seconds).padStart(4)} s  ${text}`);
};
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const size = values.short ? shortRun : fullRun;
const log = values.log === undefined ? undefined : createWriteStream(values.log);
try {
  print(`seed ${seed} (it repeats the choice of faults, but not the timing of the processes)`);
  const findings = await runChaos({
    size: { ...size, claims: Number(values.claims ?? size.claims) },
    seed,
    bundlePath: values.bundle === undefined ? undefined : resolve(values.bundle),
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
