/**
 * `npm run nightly`: what takes too long for `npm test`. It kills real processes, runs many random histories, explores
 * small scenarios, plants bugs, and mutates the code. It runs every step, and fails if one of them failed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { endOnSignal } from "../simulators/process/stop-signal.ts";
import { createCommand, wholeNumber } from "../terminal/create-command.ts";
import { mutableFiles, mutate, partOf, percentOf, type Score } from "./mutate.ts";

const table = "tools/nightly/mutation-scores.md";
const shards = 7;
// Runs differ a little: on a busy computer, more mutants run into their timeout, which counts as noticed.
const toleratedPercent = 2;

const vitest = "node_modules/vitest/vitest.mjs";
const nightlyConfig = "tools/nightly/vitest.nightly.config.ts";
const runs = [
  { name: "interruptions", command: [vitest, "run", "--config", nightlyConfig], short: [] },
  { name: "soak", command: ["tools/nightly/soak.ts"], short: ["--short"] },
  { name: "explore", command: ["tools/nightly/explore.ts"], short: ["--short"] },
] as const;

const steps = ["chaos", ...runs.map(({ name }) => name), "mutation"];

const { short, only, shard } = createCommand(
  "npm run nightly",
  "Runs what takes too long for npm test, and fails if anything failed.",
)
  .option("--short", "Runs the short form of each step, about a quarter of an hour.")
  .addOption(new Option("--only <step>", "Runs one step.").choices(steps))
  .option(
    "--shard <number>",
    `Which ${shards}th of the files is mutated, besides those that changed in the last week. Default: the day of the week.`,
    wholeNumber(1, shards),
    new Date().getUTCDay() + 1,
  )
  .parse()
  .opts();
const mutationMinutes = short ? 8 : 180;

const summary: string[] = [];
endOnSignal("The other steps did not run.");
await step("chaos", async () => {
  const { runChaos } = await import("./chaos.ts");
  return runChaos(short ? 100 : 2000);
});
for (const { name, command, short: shortForm } of runs) {
  await step(name, async () => {
    const { status, signal } = spawnSync(process.execPath, [...command, ...(short ? shortForm : [])], {
      stdio: "inherit",
    });
    return status === 0 ? [] : [`ended with ${signal ?? status}`];
  });
}
await step("mutation", mutateFiles);
console.log(["", ...summary].join("\n"));

/** Runs a step, which returns what went wrong. */
async function step(name: string, run: () => Promise<readonly string[]>): Promise<void> {
  if (only !== undefined && only !== name) return;
  console.log(`\n--- ${name} ---`);
  const startedAt = performance.now();
  const problems = await run().catch((error: unknown) => [String(error)]);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  summary.push(`${problems.length === 0 ? "passed" : "FAILED"}  ${name}, ${minutes} min`);
  summary.push(...problems.map((problem) => `          ${problem}`));
  if (problems.length > 0) process.exitCode = 1;
}

/** Mutates what changed in the last week and one shard of all files, and returns the files whose score fell. */
async function mutateFiles(): Promise<string[]> {
  const files = mutableFiles();
  const changed = execFileSync("git", ["log", "--since=7 days ago", "--name-only", "--pretty=format:"], {
    encoding: "utf8",
  }).split("\n");
  const recent = files.filter((file) => changed.includes(file));
  const ofShard = files.filter((_, index) => index % shards === shard - 1);
  const scores = readScores().filter(({ file }) => files.includes(file));
  const endsAt = performance.now() + mutationMinutes * 60_000;
  const problems: string[] = [];
  const skipped: string[] = [];
  for (const file of new Set(short ? recent : [...recent, ...ofShard])) {
    if (performance.now() > endsAt) {
      skipped.push(file);
      continue;
    }
    for (const score of await mutate([file])) {
      const index = scores.findIndex((other) => other.file === file);
      const before = scores[index];
      const min = before ? percentOf(before) - toleratedPercent : partOf(file).minPercent;
      console.log(rowOf(score));
      // A file without a row, or with a lower score than its row, has lost tests.
      if (percentOf(score) < min)
        problems.push(
          `${file}: ${percentOf(score).toFixed(1)} % are noticed, at least ${min.toFixed(1)} % expected`,
        );
      else if (before) scores[index] = score;
      else scores.push(score);
      writeScores(scores);
    }
  }
  if (skipped.length > 0)
    summary.push(`not measured, because ${mutationMinutes} minutes were over: ${skipped.join(", ")}`);
  return problems;
}

function rowOf(score: Score): string {
  const { file, mutants, noticed } = score;
  return `| \`${file}\` | ${mutants} | ${noticed} | ${percentOf(score).toFixed(1)} |`;
}

function readScores(): Score[] {
  const rows = readFileSync(table, "utf8").matchAll(/^\| `(.+)` \| (\d+) \| (\d+) \|/gm);
  return [...rows].map(([, file = "", mutants, noticed]) => ({
    file,
    mutants: Number(mutants),
    noticed: Number(noticed),
  }));
}

/** Replaces the rows of the table, which ends the file. */
function writeScores(scores: readonly Score[]): void {
  const rows = scores.toSorted((one, other) => (one.file < other.file ? -1 : 1)).map(rowOf);
  const [before = ""] = readFileSync(table, "utf8").split(/^\| `/m);
  writeFileSync(table, `${before}${rows.join("\n")}\n`);
}
