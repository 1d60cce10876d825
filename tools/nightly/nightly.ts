/**
 * `npm run nightly`: what takes too long for `npm test`. It kills real processes, plants bugs, runs hours of load, many
 * requests and histories, explores small scenarios, and mutates the code. It runs every step, and fails if one of them failed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { createCommand, wholeNumber } from "../terminal/create-command.ts";
import { endOnSignal } from "../terminal/stop-signal.ts";
import { mutableFiles, mutate, mutateSample, partOf, percentOf, type Score } from "./mutate.ts";

const table = "tools/nightly/mutation-scores.md";
const shards = 7;
// Runs differ a little: on a busy computer, more mutants run into their timeout, which counts as noticed.
const toleratedPercent = 2;

const sampledFiles = "src/lib/{deletion,ownership,pool}/*.ts";
const sampledMutants = { whole: 60, short: 5 };

const vitest = ["node_modules/vitest/vitest.mjs", "run"];
const steps = ["tests", "overload", "requests", "soak", "explore", "sample", "mutation"] as const;

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
const shortForm = short ? ["--short"] : [];
await step("tests", async () => run([...vitest, "--config", "tools/nightly/vitest.nightly.config.ts"]));
await step("overload", async () =>
  run([...vitest, "test/simulation/overload.test.ts", "-t", "All parts together"], {
    OVERLOAD_HOURS: short ? "1" : "5",
  }),
);
await step("requests", async () =>
  run([...vitest, "test/e2e/openapi-fuzz.test.ts"], { FUZZ_REQUESTS: short ? "1500" : "10000" }),
);
await step("soak", async () => run(["tools/nightly/soak.ts", ...shortForm]));
await step("explore", async () => run(["tools/nightly/explore.ts", ...shortForm]));
await step("sample", async () => {
  const seed = Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""));
  const count = sampledMutants[short ? "short" : "whole"];
  const tested = await mutateSample(globSync(sampledFiles), "test/simulation", { count, seed });
  console.log(`${tested} mutants of ${seed}: those above survive the simulation`);
  return tested === 0 ? ["no mutant was run"] : [];
});
await step("mutation", mutateFiles);
console.log(["", ...summary].join("\n"));

/** Runs a step, which returns what went wrong. */
async function step(name: (typeof steps)[number], run: () => Promise<readonly string[]>): Promise<void> {
  if (only !== undefined && only !== name) return;
  console.log(`\n--- ${name} ---`);
  const startedAt = performance.now();
  const problems = await run().catch((error: unknown) => [String(error)]);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  summary.push(`${problems.length === 0 ? "passed" : "FAILED"}  ${name}, ${minutes} min`);
  summary.push(...problems.map((problem) => `          ${problem}`));
  if (problems.length > 0) process.exitCode = 1;
}

/** Runs a script of Node. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): string[] {
  const options = { stdio: "inherit", env: { ...process.env, ...env } } as const;
  const { status, signal } = spawnSync(process.execPath, args, options);
  return status === 0 ? [] : [`ended with ${signal ?? status}`];
}

/** Mutates what changed in the last week and one shard of all files, and returns the files whose score fell. */
async function mutateFiles(): Promise<string[]> {
  const files = mutableFiles();
  const changed = execFileSync("git", ["log", "--since=7 days ago", "--name-only", "--pretty=format:"], {
    encoding: "utf8",
  }).split("\n");
  const recent = files.filter((file) => changed.includes(file));
  const ofShard = files.filter((_, index) => index % shards === shard - 1);
  const ofFiles = readScores().filter(({ file }) => files.includes(file));
  const scores = new Map(ofFiles.map((score) => [score.file, score]));
  const endsAt = performance.now() + mutationMinutes * 60_000;
  const problems: string[] = [];
  const skipped: string[] = [];
  for (const file of new Set(short ? recent : [...recent, ...ofShard])) {
    if (performance.now() > endsAt) {
      skipped.push(file);
      continue;
    }
    for (const score of await mutate([file])) {
      const before = scores.get(file);
      const min = before ? percentOf(before) - toleratedPercent : partOf(file).minPercent;
      console.log(rowOf(score));
      // A file without a row, or with a lower score than its row, has lost tests.
      if (percentOf(score) < min)
        problems.push(
          `${file}: ${percentOf(score).toFixed(1)} % are noticed, at least ${min.toFixed(1)} % expected`,
        );
      else scores.set(file, score);
      writeScores([...scores.values()]);
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
