/** `npm run soak`: runs random histories until a million rooms are claimed. */
import { randomInt } from "node:crypto";
import { explain, runHistories } from "../../test/simulation/run-histories.ts";
import { createCommand, wholeNumber } from "../terminal/create-command.ts";

const maxSeed = 2 ** 30;
const reportSeconds = 5;
const { short, seed } = createCommand("npm run soak", "Runs histories until a million rooms are claimed.")
  .option("--short", "Stops at 20,000 claims.")
  .option("--seed <seed>", "Repeats one history and prints what happened in it.", wholeNumber(0, maxSeed))
  .parse()
  .opts();

const wantedClaims = short ? 20_000 : 1_000_000;
const firstSeed = seed ?? randomInt(maxSeed);
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
let reportedAt = 0;

console.log(`Histories from seed ${firstSeed}`);
const { histories, claims, failure } = await runHistories(firstSeed, (count, claimed) => {
  if (seconds() >= reportedAt + reportSeconds) {
    reportedAt = seconds();
    console.log(`${claimed} of ${wantedClaims} claims, ${count} histories, ${seconds()} s`);
  }
  return seed === undefined ? claimed < wantedClaims : count === 0;
});
if (failure) {
  console.error(await explain(failure.seed, failure.violation));
  process.exitCode = 1;
} else {
  console.log(`${histories} histories with ${claims} claims in ${seconds()} s: no promise was broken`);
}
