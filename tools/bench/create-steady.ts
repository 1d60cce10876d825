/** Creates at a steady rate, while their replacements are provisioned. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { runOpenLoop } from "./open-loop.ts";
import { create, fillPool, setLatency, warmUp } from "./pool.ts";
import type { Result } from "./results.ts";
import { formatTimes, summarise } from "./statistics.ts";

const latencyMilliseconds = 20;
const ratePerSecond = 45;
const seconds = 60;
const maxMilliseconds = { p50: 60, p99: 250 };

/** First the creates, then the bare calls at the same rate. */
export async function measureSteadyRate(stack: BenchStack): Promise<Result> {
  const bare = await createBareCalls(stack);
  await fillPool(stack, bare, 60);
  await warmUp(stack, 100);
  await setLatency(stack, latencyMilliseconds);
  const createOne = async () => create(stack);
  await runOpenLoop({ ratePerSecond, seconds: 5, task: createOne });
  const { times, failures } = await runOpenLoop({ ratePerSecond, seconds, task: createOne });
  const claimAndPutBack = async () => bare.put("pool", await bare.claim());
  const bareRun = await runOpenLoop({ ratePerSecond, seconds: 10, task: claimAndPutBack });
  await setLatency(stack, 0);
  const [created, floor] = [summarise(times), summarise(bareRun.times)];
  const { p50, p99 } = maxMilliseconds;
  return {
    what: `Create at ${ratePerSecond}/s for ${seconds} s, platform latency ${latencyMilliseconds} ms`,
    measured: `${formatTimes(created)}, ${failures} of ${times.length + failures} failed`,
    floor: formatTimes(floor),
    ratio: created.p50 / floor.p50,
    target: {
      text: `≤ ${p50} ms, p99 ≤ ${p99} ms, no failures`,
      isReached: created.p50 <= p50 && created.p99 <= p99 && failures === 0,
    },
    explanation:
      "The floor is the claim's calls and a put, at the same rate; the gateway also provisions a room per create.",
  };
}
