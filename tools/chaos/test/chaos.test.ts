/** The short form of `npm run chaos`. */
import { expect, test } from "vitest";
import { runChaos } from "../chaos.ts";
import { describeFindings } from "../findings.ts";

test("Every promise is kept while instances are killed and connections fail", {
  timeout: 600_000,
}, async ({ signal }) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const progress: string[] = [];
  const print = (text: string): void => void progress.push(text);

  const findings = await runChaos({ claims: 100, maxLoadSeconds: 120, seed, print, stopping: signal });

  const report = [`seed ${seed}`, ...progress, describeFindings(findings)].join("\n");
  expect(findings.every(({ isOk }) => isOk) ? "" : report).toBe("");
});
