/** 300 requests at once on a pool of 300. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { startCpuMeasure } from "./cpu-share.ts";
import { create, drainPool, setLatency, warmUp } from "./create-calls.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";
import { timed } from "./warm-http.ts";

const burst = 300;

export async function measureBurst(
  stack: BenchStack,
  platformLatencyMilliseconds: number,
  platformConcurrency: number,
): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await stack.restartGateway({ PLATFORM_MAX_CONCURRENCY: String(platformConcurrency) });
  await fillPool(stack, bare, 200);
  await warmUp(stack, 400);
  await drainPool(stack);
  await fillPool(stack, bare, burst);
  await setLatency(stack, platformLatencyMilliseconds);
  const names = new Set<string>();
  const measureCpu = startCpuMeasure(stack);
  const times = await Promise.all(
    Array.from({ length: burst }, async () => timed(async () => names.add(await create(stack)))),
  );
  const cpu = measureCpu(burst);
  await setLatency(stack, 0);
  const { p50, p99 } = summarise(times);
  return [
    {
      what: `burst of ${burst} on a pool of ${burst}, platform latency ${platformLatencyMilliseconds} ms, concurrency ${platformConcurrency}`,
      figures: {
        distinctRooms: names.size,
        p50Milliseconds: p50,
        p99Milliseconds: p99,
        platformMilliseconds: round((burst * 2 * platformLatencyMilliseconds) / platformConcurrency),
        ...cpu,
      },
      target: "300 distinct rooms, p50 ≤ 1 s",
      isReached: names.size === burst && p50 <= 1000,
      remark:
        "platformMilliseconds is what the platform alone takes for all (two calls each, through so many slots); half of that " +
        "is the least that the median can be. The rest is processor time, which the processes share on these cores; a part " +
        "of it are the replacements, made meanwhile.",
    },
  ];
}
