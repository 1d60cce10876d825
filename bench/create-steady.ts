/** Creates at a steady rate, their replacements being made meanwhile. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { startCpuMeasure } from "./cpu-share.ts";
import { claimAndPutBack, create, setLatency, warmUp } from "./create-calls.ts";
import { describeFailures, runOpenLoop } from "./open-loop.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";

const platformLatencyMilliseconds = 20;
const ratePerSecond = 45;

interface SteadyRate {
  readonly pooled: number;
  readonly seconds: number;
}

/** 45 creates a second after a warm-up, their replacements made meanwhile; then the claim's calls bare at that rate. */
export async function measureSteadyRate(
  stack: BenchStack,
  { pooled, seconds }: SteadyRate,
): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await fillPool(stack, bare, pooled);
  await warmUp(stack, 100);
  await setLatency(stack, platformLatencyMilliseconds);
  const task = async () => void (await create(stack));
  await runOpenLoop({ ratePerSecond, seconds: 5, task });
  const measureCpu = startCpuMeasure(stack);
  const { times, failures } = await runOpenLoop({ ratePerSecond, seconds, task });
  const { p50, p90, p99, count } = summarise(times);
  const cpu = measureCpu(count);
  const floor = summarise(
    (await runOpenLoop({ ratePerSecond, seconds: 10, task: async () => claimAndPutBack(bare) })).times,
  );
  await setLatency(stack, 0);
  return [
    {
      what: `create at ${ratePerSecond}/s for ${seconds} s, pool of ${pooled}, platform latency ${platformLatencyMilliseconds} ms`,
      figures: {
        creates: count,
        failures: describeFailures(failures),
        p50Milliseconds: p50,
        p90Milliseconds: p90,
        p99Milliseconds: p99,
        bareP50Milliseconds: floor.p50,
        bareP99Milliseconds: floor.p99,
        ratioP50: round(p50 / floor.p50),
        ...cpu,
      },
      target: "p50 ≤ 60, p90 ≤ 120, p99 ≤ 250 ms (published bar of warm-pool claims: 92 / 182 / 376)",
      isReached: p50 <= 60 && p90 <= 120 && p99 <= 250 && Object.keys(failures).length === 0,
      remark:
        "Bare are the claim's four calls and a put, at the same rate; the gateway makes a new room for each create besides, " +
        "so that the processes share the cores with twice the work. Azurite sorts all its messages anew after each receive, " +
        "delete and update, so that its part grows with the pool; the storage of the cloud does not.",
    },
  ];
}
