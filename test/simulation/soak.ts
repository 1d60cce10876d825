/**
 * `npm run soak`: runs histories until a million rooms have been claimed, then checks that every planted bug is found,
 * and says what finds it. `-- --short` stops at 20,000 claims, `-- --claims N` at N. The seeds start at a random number,
 * which is printed, or at `--from N`. `-- --seed N` repeats one history and prints what happened in it.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { findByExploration, findByFoundHistories, findByRandomHistories } from "./plant-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";
import { explain, runHistories } from "./run-histories.ts";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    claims: { type: "string" },
    from: { type: "string" },
    seed: { type: "string" },
  },
});

const onlySeed = values.seed === undefined ? undefined : Number(values.seed);
const wantedClaims = Number(values.claims ?? (values.short ? 20_000 : 1_000_000));
const firstSeed = onlySeed ?? Number(values.from ?? randomInt(2 ** 30));
const reportEvery = 5000;
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);

console.log(`Histories from seed ${firstSeed}`);
const { histories, claims, failure } = await runHistories({
  firstSeed,
  continues(count, claimed) {
    if (count > 0 && count % reportEvery === 0)
      console.log(`${count} histories, ${claimed} claims, ${seconds()} s`);
    return onlySeed === undefined ? claimed < wantedClaims : count === 0;
  },
});
if (failure) {
  console.error(await explain(failure.seed, failure.violation));
  process.exitCode = 1;
} else {
  console.log(`${histories} histories with ${claims} claims in ${seconds()} s: no promise was broken`);
  if (onlySeed === undefined) await checkPlantedBugs();
}

async function checkPlantedBugs(): Promise<void> {
  for (const plantedBug of plantedBugs) {
    const found =
      (await findByRandomHistories(plantedBug)) ??
      (await findByFoundHistories(plantedBug)) ??
      (await findByExploration(plantedBug));
    const isCaught = found?.promise === plantedBug.breaks;
    const what = found ? `${found.promise} by ${found.by}` : "nothing";
    console.log(`${isCaught ? "caught" : "MISSED"}  ${what}: a gateway that ${plantedBug.bug}`);
    if (!isCaught) process.exitCode = 1;
  }
  console.log(`${plantedBugs.length} planted bugs checked, ${seconds()} s`);
}
