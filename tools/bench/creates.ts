/** Creates: alone, at a steady rate, in a burst, and at twice the rate that the gateway can serve. */
import { setTimeout as delay } from "node:timers/promises";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { create, fillPool, runConcurrently, runOpenLoop, setLatency, warmUp } from "./load.ts";
import { atLeast, atMost, compareTimes, format, type Result } from "./results.ts";
import { timed } from "./warm-http.ts";

const latencyMilliseconds = 20;
// The platform limits this run, not the processor that all parts share here.
const overloadLatencyMilliseconds = 200;

/** Single creates alternate with the same calls made directly, so both meet the same noise. */
export async function measureAlone(stack: BenchStack): Promise<Result> {
  const rounds = 60;
  const bare = await createBareCalls(stack);
  await warmUp(stack, bare, 500);
  await fillPool(stack, bare, 2 * rounds);
  await setLatency(stack, latencyMilliseconds);
  const floors: number[] = [];
  const creates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    floors.push(await timed(async () => bare.claim()));
    creates.push(await timed(async () => create(stack)));
    // Time for the replacement.
    await delay(2 * latencyMilliseconds + 30);
  }
  return {
    what: `Create alone, platform latency ${latencyMilliseconds} ms`,
    ...compareTimes(creates, floors),
    target: atMost(1.2),
    explanation:
      "The floor is the claim's four calls. The rest is the host, the replacement and library code.",
  };
}

/** First the creates, while their replacements are provisioned, then the direct calls at the same rate. */
export async function measureSteadyRate(stack: BenchStack): Promise<Result> {
  const load = { ratePerSecond: 20, seconds: 30 };
  const bare = await createBareCalls(stack);
  await warmUp(stack, bare, 200);
  await fillPool(stack, bare, 100);
  await setLatency(stack, latencyMilliseconds);
  const { times, failures } = await runOpenLoop({ ...load, task: async () => create(stack) });
  const floor = await runOpenLoop({ ...load, task: async () => bare.put("pool", await bare.claim()) });
  const compared = compareTimes(times, floor.times);
  return {
    what: `Create at ${load.ratePerSecond}/s for ${load.seconds} s, platform latency ${latencyMilliseconds} ms`,
    ...compared,
    measured: `${compared.measured}, ${failures} failed`,
    target: atMost(1.1),
    explanation:
      "The floor is the claim's calls and a put, at the same rate. The gateway also provisions rooms.",
  };
}

/** First the same number of direct claims at once, then the creates. */
export async function measureBurst(stack: BenchStack): Promise<Result> {
  // Further ones would be refused.
  const burst = 60;
  const bare = await createBareCalls(stack);
  await warmUp(stack, bare, 400);
  await fillPool(stack, bare, 2 * burst);
  await setLatency(stack, latencyMilliseconds);
  const together = async (task: () => Promise<unknown>) =>
    Promise.all(Array.from({ length: burst }, async () => timed(task)));
  const floors = await together(async () => bare.claim());
  const rooms = new Set<string>();
  const add = async () =>
    create(stack)
      .then((room) => rooms.add(room))
      .catch(() => undefined);
  const creates = await together(add);
  const compared = compareTimes(creates, floors);
  return {
    what: `Burst: ${burst} creates at once, platform latency ${latencyMilliseconds} ms`,
    ...compared,
    measured: `${compared.measured}, ${rooms.size} different rooms`,
    target: atMost(2),
    explanation: "The floor is as many bare claims at once. The gateway limits its own platform calls.",
  };
}

/**
 * First the capacity, with callers who wait for responses, then creates at twice that rate, whether or not
 * earlier ones have ended.
 */
export async function measureOverload(stack: BenchStack): Promise<Result> {
  const creates = 300;
  const seconds = 120;
  const bare = await createBareCalls(stack);
  await warmUp(stack, bare, 400);
  await fillPool(stack, bare, creates);
  await setLatency(stack, overloadLatencyMilliseconds);
  const milliseconds = await timed(async () => runConcurrently(creates, 32, async () => create(stack)));
  const capacity = (creates * 1000) / milliseconds;
  await fillPool(stack, bare, Math.ceil(2 * capacity * seconds));
  const load = { ratePerSecond: 2 * capacity, seconds, task: async () => create(stack) };
  const { times, failures, endedAtSeconds } = await runOpenLoop(load);
  const firstHalf = endedAtSeconds.filter((second) => second <= seconds / 2).length;
  const secondHalf = endedAtSeconds.filter((second) => second > seconds / 2 && second <= seconds).length;
  const perSecond = (count: number) => count / (seconds / 2);
  return {
    what: `Creates at twice the capacity for ${seconds} s, platform latency ${overloadLatencyMilliseconds} ms, 3 slots`,
    measured:
      `${format(perSecond(firstHalf))}/s, then ${format(perSecond(secondHalf))}/s handed out, ` +
      `${failures} of ${times.length + failures} refused`,
    floor: `${format(capacity)}/s`,
    ratio: perSecond(Math.min(firstHalf, secondHalf)) / capacity,
    target: atLeast(0.85),
    explanation:
      "The worse half counts. The floor column holds the capacity: 32 callers, each of whom waits for the response.",
  };
}
