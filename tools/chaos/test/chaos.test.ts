/** The short form of `npm run chaos`, and its interruption. */
import { expect, test } from "vitest";
import { childrenOf, runScript, untilGone } from "../../../test/support/script-process.ts";
import { runChaos } from "../chaos.ts";
import { describeFindings } from "../findings.ts";

test("Every promise is kept while instances are killed and connections fail", {
  timeout: 600_000,
}, async () => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const progress: string[] = [];
  const print = (text: string): void => void progress.push(text);

  const findings = await runChaos({ claims: 100, maxLoadSeconds: 120, seed, print });

  const report = [`seed ${seed}`, ...progress, describeFindings(findings)].join("\n");
  expect(findings.every(({ isOk }) => isOk) ? "" : report).toBe("");
});

test("Ends with 130 on the first Ctrl-C, and leaves no process behind", { timeout: 120_000 }, async () => {
  const { child, printed, end, output, errors } = runScript("tools/chaos/run.ts");
  await printed("rooms in the pool");
  const children = await childrenOf(child.pid);
  expect(await end("SIGINT")).toBe(130);
  expect([output().split("\n").at(-2), errors()]).toEqual(["Interrupted. Nothing was checked.", ""]);
  await untilGone(children);
});
