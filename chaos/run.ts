/** `npm run chaos`: the real app, in processes that are killed, on real sockets that fail; exits with 1 on a broken promise. */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stopSignal } from "../local/process/stop-signal.ts";
import { runChaos } from "./chaos.ts";
import { describeLines } from "./report.ts";
import { fullRun, shortRun } from "./run-size.ts";
import { deployTo } from "./unpack-deployment.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    claims: { type: "string" },
    /** The extent that `npm test` uses. */
    short: { type: "boolean", default: false },
    /** A bundle to run instead of the one that is built. */
    bundle: { type: "string" },
    /** Where to write all that the app logs. */
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
const extent = values.short ? shortRun : fullRun;
const claims = Number(values.claims ?? extent.claims);
const log = values.log === undefined ? undefined : createWriteStream(values.log);
const folder = await mkdtemp(join(tmpdir(), "chaos-"));
try {
  print(
    `seed ${seed}: it repeats the choice of the faults, not the moments at which they meet the processes`,
  );
  const bundlePath = values.bundle === undefined ? await deployTo(folder) : resolve(values.bundle);
  const onLogLine = (line: string): void => void log?.write(`${line}\n`);
  const lines = await runChaos({ ...extent, claims, seed, bundlePath, print, onLogLine, stopping });
  console.log(describeLines(lines));
  process.exitCode = lines.every(({ isOk }) => isOk) ? 0 : 1;
} catch (error) {
  if (!stopping.aborted) throw error;
  print("stopped before the end: nothing was checked");
  process.exitCode = 1;
} finally {
  log?.end();
  await rm(folder, { recursive: true });
}
