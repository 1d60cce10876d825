/**
 * `npm run mutate -- <files>`: changes the code of the files in one place after the other, runs the tests on each of
 * these mutants, and shows those that no test notices.
 */
import { existsSync, globSync } from "node:fs";
import { dirname, matchesGlob, relative } from "node:path";
import { Stryker } from "@stryker-mutator/core";
import { createSeededRandom } from "../simulators/process/seeded-random.ts";
import { createCommand } from "../terminal/create-command.ts";

type MutantResult = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

/** Files that can be mutated, and their tests, which are fast and in the same process. */
interface Part {
  readonly files: string;
  readonly tests: string;
  /** The lowest score of a file that has not been measured before. */
  readonly minPercent: number;
}

export interface Score {
  readonly file: string;
  readonly mutants: number;
  readonly noticed: number;
}

const parts: readonly Part[] = [
  { files: "src/lib/**/*.ts", tests: "test/lib", minPercent: 90 },
  { files: "client/src/**/!(openapi).ts", tests: "client/test", minPercent: 90 },
  {
    // What changes state, and what decides. The commands that only show something are checked by their output.
    files: "tools/ops/{{gateway,pool,status}/*,commands/{drain,pool-size,redrive,rooms,unaccounted}}.ts",
    tests: "tools/ops/test",
    minPercent: 80,
  },
];

/** Returns all files that can be mutated, by name. */
export const mutableFiles = (): string[] => parts.flatMap(({ files }) => globSync(files)).toSorted();

/** Returns the part that a file belongs to. Throws if it belongs to none. */
export function partOf(file: string): Part {
  const part = parts.find(({ files }) => matchesGlob(file, files));
  if (!part) throw new Error(`${file} cannot be mutated`);
  return part;
}

/** Returns the folder of a file's own tests: those of a folder of src/lib take a tenth of the time of all. */
function testsOf(file: string): string {
  // What pool and deletion do with it is tested there.
  if (file.startsWith("src/lib/ownership/")) return "test/lib";
  const mirrored = dirname(file).replace("src/lib", "test/lib");
  return existsSync(mirrored) && mirrored.startsWith("test/lib/") ? mirrored : partOf(file).tests;
}

/**
 * Mutates files and prints the mutants that their tests do not notice. Returns one score per file that has mutants.
 * `everyTest` runs all tests on each mutant and prints the tests that notice no mutant alone.
 */
export async function mutate(files: readonly string[], everyTest = false): Promise<Score[]> {
  const scores: Score[] = [];
  for (const [tests, ofFolder] of Map.groupBy(files, testsOf))
    scores.push(...(await mutateWith(tests, ofFolder, everyTest)));
  return scores;
}

async function mutateWith(tests: string, files: readonly string[], everyTest: boolean): Promise<Score[]> {
  const results = await runMutants(files, { ...inVitest(tests), disableBail: everyTest });
  if (everyTest) printReplaceableTests(results);
  const byFile = Map.groupBy(results.filter(isTested), fileOf);
  return [...byFile].map(([file, mutants]) => ({
    file,
    mutants: mutants.length,
    noticed: mutants.filter(isNoticed).length,
  }));
}

type StrykerOptions = NonNullable<ConstructorParameters<typeof Stryker>[0]>;

const inVitest = (tests: string): StrykerOptions => ({
  testRunner: "vitest",
  plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
  // A test is related to what it imports. The gateway in memory finds the functions in their folder.
  vitest: { configFile: "tools/nightly/vitest.mutation.config.ts", dir: tests, related: false },
  coverageAnalysis: "perTest",
  // The first run of the simulation takes minutes.
  dryRunTimeoutMinutes: 30,
  reporters: ["clear-text", "progress-append-only"],
});

/** Runs the mutants of files, or of ranges in them, and prints those that survive if `reporters` says so. */
async function runMutants(mutate: readonly string[], options: StrykerOptions): Promise<MutantResult[]> {
  const stryker = new Stryker({
    mutate: [...mutate],
    concurrency: 1,
    // The installed TypeScript cannot parse a configuration for Stryker, which skips a file that does not exist.
    tsconfigFile: "none",
    tempDirName: ".tmp/mutants",
    ignorePatterns: [".tmp", "dist"],
    clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
    warnings: false,
    ...options,
  });
  return stryker.runMutationTest();
}

const fileOf = ({ fileName }: MutantResult) => relative(process.cwd(), fileName).replaceAll("\\", "/");

/**
 * Runs the mutants of random lines, `count` at most, against the tests of a folder, and prints those that survive. Changes
 * of texts and of several lines are left out. Returns how many were run.
 */
export async function mutateSample(
  files: readonly string[],
  tests: string,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<number> {
  const mutator = { excludedMutations: ["StringLiteral"] };
  // A command that always succeeds: every mutant survives, and so is listed.
  const list = { testRunner: "command", commandRunner: { command: "true" }, reporters: [] };
  const all = (await runMutants(files, { ...list, mutator })).filter(isTested);
  const lines = Map.groupBy(
    all.filter(({ location: { start, end } }) => start.line === end.line),
    (mutant) => `${fileOf(mutant)}:${mutant.location.start.line}-${mutant.location.start.line}`,
  );
  const { integerBelow } = createSeededRandom(seed);
  const shuffled = [...lines]
    .map(([line, mutants]) => ({ line, mutants: mutants.length, rank: integerBelow(2 ** 30) }))
    .toSorted((one, other) => one.rank - other.rank);
  let left = count;
  const chosen = shuffled.filter(({ mutants }) => mutants <= left && (left -= mutants) >= 0);
  const results = await runMutants(
    chosen.map(({ line }) => line),
    { ...inVitest(tests), mutator },
  );
  return results.filter(isTested).length;
}

/** A mutant that never ends counts as noticed. */
const isNoticed = ({ status }: MutantResult) => status === "Killed" || status === "Timeout";
const isTested = (mutant: MutantResult) =>
  isNoticed(mutant) || mutant.status === "Survived" || mutant.status === "NoCoverage";

export const percentOf = ({ mutants, noticed }: Score): number => (100 * noticed) / mutants;

/** Prints the tests that notice mutants, but none that no other test notices. Keep those that state a promise. */
function printReplaceableTests(results: readonly MutantResult[]): void {
  const tests = new Set(results.flatMap(({ killedBy = [] }) => killedBy));
  for (const { killedBy = [] } of results) if (killedBy.length === 1) tests.delete(killedBy[0] ?? "");
  console.log(`${tests.size} tests notice no mutant alone:`);
  for (const test of [...tests].toSorted((one, other) => one.localeCompare(other))) console.log(`  ${test}`);
}

if (import.meta.main) {
  const command = createCommand(
    "npm run mutate",
    "Changes files in one place after the other, and shows the changes that no test notices.",
  )
    .usage("-- [options] <files...>")
    .argument("<files...>", "Files or patterns, such as 'src/lib/pool/*.ts'.")
    .option("--every-test", "Runs all tests on each mutant, and names those that notice no mutant alone.")
    .parse();
  const files = globSync(command.processedArgs[0]);
  const mutable = new Set(mutableFiles());
  const others = files.filter((file) => !mutable.has(file));
  const wrong = files.length === 0 ? command.processedArgs[0] : others;
  if (wrong.length > 0)
    command.error(
      `these are not files of src/lib, client/src or the changing part of tools/ops: ${wrong.join(", ")}`,
    );
  for (const score of await mutate(files, command.opts().everyTest))
    console.log(
      `${percentOf(score).toFixed(1).padStart(5)} %  ${score.noticed} of ${score.mutants}  ${score.file}`,
    );
}
