/** One create after the other, in turn with the same calls made bare. */
import { setTimeout as delay } from "node:timers/promises";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { create, fillPool, setLatency, warmUp } from "./pool.ts";
import type { Result } from "./results.ts";
import { formatTimes, summarise } from "./statistics.ts";
import { timed } from "./warm-http.ts";

const warmUpRounds = 10;
const maxRatio = 1.15;

/** Both alternate, so they meet the same noise. Each create waits until earlier replacements are complete. */
export async function measureAlone(stack: BenchStack): Promise<Result[]> {
  const bare = await createBareCalls(stack);
  await fillPool(stack, bare, 100);
  await warmUp(stack, 1000);
  const results: Result[] = [];
  for (const latencyMilliseconds of [0, 20, 100]) {
    const rounds = warmUpRounds + (latencyMilliseconds === 100 ? 40 : 120);
    // The rooms of creates are replaced; only the bare claims use up the pool.
    await fillPool(stack, bare, rounds);
    await setLatency(stack, latencyMilliseconds);
    const floors: number[] = [];
    const creates: number[] = [];
    for (let round = 0; round < rounds; round++) {
      floors.push(await timed(async () => bare.claim()));
      creates.push(await timed(async () => create(stack)));
      await delay(2 * latencyMilliseconds + 30);
    }
    const [floor, created] = [summarise(floors.slice(warmUpRounds)), summarise(creates.slice(warmUpRounds))];
    const ratio = created.p50 / floor.p50;
    results.push({
      what: `Create alone, platform latency ${latencyMilliseconds} ms`,
      measured: formatTimes(created),
      floor: formatTimes(floor),
      ratio,
      ...(latencyMilliseconds > 0 && {
        target: { text: `ratio ≤ ${maxRatio}`, isReached: ratio <= maxRatio },
      }),
      explanation:
        "The floor is the claim's four calls; the difference is the host, the replacement request and library code.",
    });
  }
  await setLatency(stack, 0);
  return results;
}
