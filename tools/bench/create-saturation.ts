/** The maximum number of creates per second. */
import autocannon from "autocannon";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { createUrl, fillPool, runConcurrently, setLatency, warmUp } from "./pool.ts";
import type { Result } from "./results.ts";
import { format } from "./statistics.ts";
import { timed } from "./warm-http.ts";

const latencyMilliseconds = 20;
const callers = 32;
const creates = 500;
const minCreatesPerSecond = 100;

/** Runs against a gateway with 20 concurrent platform calls. Each caller waits for its response. */
export async function measureSaturation(stack: BenchStack): Promise<Result> {
  const bare = await createBareCalls(stack);
  await fillPool(stack, bare, creates + 20);
  await warmUp(stack, 200);
  await setLatency(stack, latencyMilliseconds);
  const claimAndPutBack = async () => bare.put("pool", await bare.claim());
  const floor =
    (creates * 1000) / (await timed(async () => runConcurrently(creates, callers, claimAndPutBack)));
  const { succeeded, milliseconds } = await sendCreates(stack);
  await setLatency(stack, 0);
  const createsPerSecond = (succeeded * 1000) / milliseconds;
  return {
    what: `Saturation: ${creates} creates by ${callers} callers, platform latency ${latencyMilliseconds} ms`,
    measured: `${format(createsPerSecond)}/s, ${creates - succeeded} failed`,
    floor: `${format(floor)}/s`,
    ratio: createsPerSecond / floor,
    target: {
      text: `≥ ${minCreatesPerSecond}/s, no failures`,
      isReached: createsPerSecond >= minCreatesPerSecond && succeeded === creates,
    },
    explanation:
      "The floor is bare claims and puts by as many callers; the limit is processor time, which all processes share.",
  };
}

/** Counts the time until the last response, because autocannon's duration has whole seconds. */
async function sendCreates(stack: BenchStack): Promise<{ succeeded: number; milliseconds: number }> {
  const startedAt = performance.now();
  let endedAt = startedAt;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { url: createUrl(stack), method: "POST" as const, headers: { ...stack.bearer } };
    const run = autocannon(
      { ...options, connections: callers, amount: creates },
      (error: unknown, outcome) => {
        if (error instanceof Error) reject(error);
        else resolve(outcome);
      },
    );
    run.on("response", () => {
      endedAt = performance.now();
    });
  });
  return { succeeded: result["2xx"], milliseconds: endedAt - startedAt };
}
