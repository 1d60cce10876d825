/** As many creates a second as go through. */
import autocannon from "autocannon";
import { type BareCalls, createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { startCpuMeasure } from "./cpu-share.ts";
import { claimAndPutBack, createUrl, setLatency, warmUp } from "./create-calls.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";
import { round } from "./statistics.ts";
import { timed } from "./warm-http.ts";

const platformLatencyMilliseconds = 20;
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
  await setLatency(stack, platformLatencyMilliseconds);
  const floor = await measureBareRate(bare, creates);
  const measureCpu = startCpuMeasure(stack);
  const gateway = await fire({
    url: createUrl(stack),
    method: "POST",
    headers: { authorization: `Bearer ${stack.token}` },
    connections: callers,
    amount: creates,
  });
  const cpu = measureCpu(creates);
  await setLatency(stack, 0);
  const createsPerSecond = round((gateway.succeeded * 1000) / gateway.milliseconds);
  return [
    {
      what: `create, saturation: ${creates} by ${callers} callers, pool of ${pooled}`,
      figures: {
        createsPerSecond,
        otherAnswers: creates - gateway.succeeded,
        platformLatencyMilliseconds,
        platformConcurrency,
        platformLimitPerSecond: round((platformConcurrency / platformLatencyMilliseconds) * (1000 / 3)),
        bareClaimsPerSecond: floor,
        ratio: round(createsPerSecond / floor),
        ...cpu,
      },
      target: "≥ 100/s",
      isReached: createsPerSecond >= 100 && gateway.succeeded === creates,
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

/** Until the last answer: the driver's own duration is in whole seconds. */
async function fire(options: autocannon.Options): Promise<{ succeeded: number; milliseconds: number }> {
  const startedAt = performance.now();
  let endedAt = startedAt;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(options, (error: unknown, outcome) => {
      if (error instanceof Error) reject(error);
      else resolve(outcome);
    });
    run.on("response", () => {
      endedAt = performance.now();
    });
  });
  return { succeeded: result["2xx"], milliseconds: endedAt - startedAt };
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
