/**
 * The long run: `npm run soak` explores until a million rooms were claimed, `-- --claims N` until N were, from a seed that
 * it prints; `-- --seed N` runs the one history of that seed again and tells what happened in it.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { explain, explore } from "./explore.ts";

const { values } = parseArgs({
  options: { seed: { type: "string" }, claims: { type: "string" }, from: { type: "string" } },
});

const onlySeed = values.seed === undefined ? undefined : Number(values.seed);
const wantedClaims = Number(values.claims ?? 1_000_000);
const firstSeed = onlySeed ?? Number(values.from ?? randomInt(2 ** 30));
const reportEvery = 5000;
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);

console.log(`from seed ${firstSeed}`);
const { histories, claims, failure } = await explore({
  firstSeed,
  goesOn(count, claimed) {
    if (count > 0 && count % reportEvery === 0)
      console.log(`${count} histories, ${claimed} claims, ${seconds()} s`);
    return onlySeed === undefined ? claimed < wantedClaims : count === 0;
  },
});
if (failure) {
  console.error(await explain(failure.seed, failure.violation));
  process.exitCode = 1;
} else {
  console.log(`${histories} histories with ${claims} claims in ${seconds()} s: every promise was kept`);
}
