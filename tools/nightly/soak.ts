/**
 * `npm run soak`: runs random histories, checks that every planted bug is found, and says what finds it; then sends
 * generated requests to a running gateway.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { explain, runHistories } from "../../test/simulation/run-histories.ts";
import { createCommand, wholeNumber } from "../terminal/create-command.ts";
import { findPlanted } from "./plant-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

const maxSeed = 2 ** 30;
// The rarest planted bug shows in about one of 1,500 histories.
const maxHistoriesPerBug = 6000;
const options = createCommand(
  "npm run soak",
  "Runs histories until a million rooms are claimed, plants bugs, and sends generated requests.",
)
  .option("--short", "Stops at 20,000 claims.")
  .option("--bugs", "Only plants the bugs.")
  .option("--seed <seed>", "Repeats one history and prints what happened in it.", wholeNumber(0, maxSeed))
  .parse()
  .opts();

const onlySeed = options.seed;
const wantedClaims = options.short ? 20_000 : 1_000_000;
const firstSeed = onlySeed ?? randomInt(maxSeed);
const reportSeconds = 5;
let reportedAt = 0;
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);

if (options.bugs) await checkPlantedBugs();
else if ((await runRandomHistories()) && onlySeed === undefined) {
  await checkPlantedBugs();
  sendGeneratedRequests(options.short ? 1500 : 10_000);
}

/** Returns whether every promise was kept. */
async function runRandomHistories(): Promise<boolean> {
  console.log(`Histories from seed ${firstSeed}`);
  const { histories, claims, failure } = await runHistories({
    firstSeed,
    continues(count, claimed) {
      if (seconds() >= reportedAt + reportSeconds) {
        reportedAt = seconds();
        console.log(`${claimed} of ${wantedClaims} claims, ${count} histories, ${seconds()} s`);
      }
      return onlySeed === undefined ? claimed < wantedClaims : count === 0;
    },
  });
  if (failure) {
    console.error(await explain(failure.seed, failure.violation));
    process.exitCode = 1;
    return false;
  }
  console.log(`${histories} histories with ${claims} claims in ${seconds()} s: no promise was broken`);
  return true;
}

async function checkPlantedBugs(): Promise<void> {
  for (const plantedBug of plantedBugs) {
    const found = await findPlanted(plantedBug, maxHistoriesPerBug);
    const isCaught = found?.promise === plantedBug.breaks;
    const what = found ? `${found.promise} by ${found.by}` : "nothing";
    console.log(`${isCaught ? "caught" : "MISSED"}  ${what}: a gateway that ${plantedBug.bug}`);
    if (!isCaught) process.exitCode = 1;
  }
  console.log(`The planted bugs are checked, ${seconds()} s`);
}

/** Runs the test of `npm test` with more requests. */
function sendGeneratedRequests(count: number): void {
  const args = ["node_modules/vitest/vitest.mjs", "run", "test/e2e/openapi-fuzz.test.ts"];
  const env = { ...process.env, FUZZ_REQUESTS: String(count) };
  const { status } = spawnSync(process.execPath, args, { env, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
