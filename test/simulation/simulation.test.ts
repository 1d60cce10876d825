/** Runs hundreds of histories from fixed seeds. None of them may break a promise. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { promises } from "./ledger.ts";
import { bugs } from "./planted-bugs.ts";
import { explain, runHistories } from "./run-histories.ts";

const wantedHistories = 300;

test("No history from the fixed seeds breaks a promise", async () => {
  const { histories, claims, failure } = await runHistories(1, (count) => count < wantedHistories);
  expect(failure && (await explain(failure.seed, failure.violation))).toBeUndefined();
  expect(histories).toBe(wantedHistories);
  expect(claims).toBeGreaterThan(wantedHistories);
});

test("The simulation reports the promises of docs/architecture.md by their names there", async () => {
  const text = await readFile(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const names = [...text.matchAll(/^\| \d+ \| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(names).toEqual(promises);
});

test("Each bug that the nightly run plants edits a text that its file contains once", async () => {
  for (const [file, text] of bugs.flatMap(({ edits }) => edits)) {
    const source = await readFile(new URL(`../../${file}`, import.meta.url), "utf8");
    expect([file, text, source.split(text).length - 1]).toEqual([file, text, 1]);
  }
});
