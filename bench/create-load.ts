/** Creates at a steady rate, and as many as go through. */
import autocannon from "autocannon";
import { type BareCalls, createBareCalls } from "./bare-calls.ts";
import { startCpuMeasure } from "./cpu-share.ts";
import { claimBare, create, createUrl, setLatency, warmUp } from "./create-calls.ts";
import { describeFailures, runOpenLoop } from "./open-loop.ts";
import type { BenchStack } from "./processes.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";
import { timed } from "./warm-http.ts";

const platformLatency = 20;
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
  await setLatency(stack, platformLatency);
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
      what: `create at ${ratePerSecond}/s for ${seconds} s, pool of ${pooled}, platform latency ${platformLatency} ms`,
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

/** As a create and its replacement, the pool keeps its size. */
async function claimAndPutBack(bare: BareCalls): Promise<void> {
  await bare.put("pool", await claimBare(bare));
}

const callers = 32;
const platformConcurrency = 20;

interface Saturation {
  readonly pooled: number;
  readonly creates: number;
}

/** As many creates a second as go through while the pool lasts, with callers that each wait for their answer. */
export async function measureSaturation(
  stack: BenchStack,
  { pooled, creates }: Saturation,
): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await stack.restartGateway({ PLATFORM_MAX_CONCURRENCY: String(platformConcurrency) });
  await fillPool(stack, bare, pooled);
  await warmUp(stack, 200);
  await setLatency(stack, platformLatency);
  const floor = await measureBareRate(bare, creates);
  const measureCpu = startCpuMeasure(stack);
  const gateway = await autocannon({
    url: createUrl(stack),
    method: "POST",
    headers: { authorization: `Bearer ${stack.token}` },
    connections: callers,
    amount: creates,
  });
  const cpu = measureCpu(creates);
  await setLatency(stack, 0);
  const createsPerSecond = round(gateway["2xx"] / gateway.duration);
  return [
    {
      what: `create, saturation: ${creates} by ${callers} callers, pool of ${pooled}`,
      figures: {
        createsPerSecond,
        otherAnswers: gateway.non2xx + gateway.errors,
        platformLatencyMilliseconds: platformLatency,
        platformConcurrency,
        platformLimitPerSecond: round((platformConcurrency / platformLatency) * (1000 / 3)),
        bareClaimsPerSecond: floor,
        ratio: round(createsPerSecond / floor),
        ...cpu,
      },
      target: "≥ 100/s",
      isReached: createsPerSecond >= 100 && gateway["2xx"] === creates,
      remark:
        "The platform allows concurrency ÷ latency ÷ 3 calls (GET and PATCH of the claim, POST of the replacement) creates a " +
        "second; what limits instead is the processor: the busiest process is named, and all of them share the cores. Bare " +
        "are the claim's four calls and a put by the same number of callers. On paper, the real platform's 1,000 requests a " +
        "minute allow 5.5 creates a second (3 calls each); claims keep precedence because they go first in the client's " +
        "queue and background calls leave two of the slots free, so that a backlog of replacements delays itself and not " +
        "the callers.",
    },
  ];
}

/** Bare claims a second by the same number of callers. */
async function measureBareRate(bare: BareCalls, claims: number): Promise<number> {
  let left = claims;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await claimAndPutBack(bare);
    }
  };
  const milliseconds = await timed(async () => Promise.all(Array.from({ length: callers }, caller)));
  return round((claims * 1000) / milliseconds);
}
