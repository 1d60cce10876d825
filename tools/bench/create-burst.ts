/** 300 creates at once with 300 rooms in the pool. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { create, drainPool, fillPool, setLatency, warmUp } from "./pool.ts";
import type { Result } from "./results.ts";
import { formatTimes, summarise } from "./statistics.ts";
import { timed } from "./warm-http.ts";

const burst = 300;
const latencyMilliseconds = 20;
const maxMilliseconds = 1000;

/** Runs against a gateway with 20 concurrent platform calls. First the bare claims, then the creates. */
export async function measureBurst(stack: BenchStack): Promise<Result> {
  const bare = await createBareCalls(stack);
  await fillPool(stack, bare, 200);
  await warmUp(stack, 400);
  await drainPool(stack);
  await fillPool(stack, bare, 2 * burst);
  await setLatency(stack, latencyMilliseconds);
  const floor = summarise(await timedTogether(async () => bare.claim()));
  const names = new Set<string>();
  const messages = new Set<string>();
  const createOrFail = async () =>
    create(stack).then(
      (name) => names.add(name),
      (error: unknown) => messages.add(String(error)),
    );
  const created = summarise(await timedTogether(createOrFail));
  for (const message of messages) console.error(message);
  await setLatency(stack, 0);
  return {
    what: `Burst: ${burst} creates at once, platform latency ${latencyMilliseconds} ms`,
    measured: `${formatTimes(created)}, ${names.size} different rooms`,
    floor: formatTimes(floor),
    ratio: created.p50 / floor.p50,
    target: {
      text: `≤ ${maxMilliseconds} ms, ${burst} different rooms`,
      isReached: names.size === burst && created.p50 <= maxMilliseconds,
    },
    explanation:
      "The floor is as many bare claims at once; the gateway sends at most 20 platform calls at a time.",
  };
}

async function timedTogether(task: () => Promise<unknown>): Promise<number[]> {
  return Promise.all(Array.from({ length: burst }, async () => timed(task)));
}
