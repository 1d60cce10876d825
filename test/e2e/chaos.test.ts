/** The short form of `npm run chaos`: the guarantees hold while processes are killed and connections fail. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runChaos } from "../../chaos/chaos.ts";
import { describeLines } from "../../chaos/report.ts";
import { shortRun } from "../../chaos/run-size.ts";
import { deployTo } from "../../chaos/unpack-deployment.ts";

test("no room is handed out twice or lost while processes die and connections fail", {
  timeout: 180_000,
}, async ({ signal }) => {
  const folder = await mkdtemp(join(tmpdir(), "chaos-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const seed = Math.floor(Math.random() * 2 ** 32);
  const bundlePath = await deployTo(folder);
  const progress: string[] = [];
  const print = (text: string): void => void progress.push(text);

  const lines = await runChaos({ ...shortRun, seed, bundlePath, print, stopping: signal });

  const story = [`npm run chaos -- --short --seed ${seed}`, ...progress, describeLines(lines)].join("\n");
  expect(lines.every(({ isOk }) => isOk) ? "" : story).toBe("");
});
