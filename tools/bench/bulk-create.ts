/** The time to fill an empty pool. */
import { setTimeout as delay } from "node:timers/promises";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { platformRequests, runConcurrently, setLatency } from "./pool.ts";
import type { Result } from "./results.ts";
import { format } from "./statistics.ts";
import { sendExpecting, timed } from "./warm-http.ts";

const rooms = 500;
const latencyMilliseconds = 50;
// The platform client leaves three of its five slots to background work.
const concurrency = 3;
const timeoutMilliseconds = 120_000;

/** First the bare calls that create as many rooms, then POST /room/bulk/ until the last room is created. */
export async function measureBulkCreate(stack: BenchStack): Promise<Result> {
  const bare = await createBareCalls(stack);
  await setLatency(stack, latencyMilliseconds);
  const createBare = async (index: number) => bare.createRoom(`bare-${index}`);
  const floor = await timed(async () => runConcurrently(rooms, concurrency, createBare));
  const before = await createdRooms(stack);
  const milliseconds = await timed(async () => {
    const url = `${stack.gatewayUrl}/room/bulk/?max_vmr=${rooms}`;
    await sendExpecting(202, "POST", url, { headers: stack.bearer });
    const until = performance.now() + timeoutMilliseconds;
    while ((await createdRooms(stack)) < before + rooms) {
      if (performance.now() > until) throw new Error("the pool did not become full");
      await delay(50);
    }
  });
  await setLatency(stack, 0);
  return {
    what: `Bulk create of ${rooms} rooms, platform latency ${latencyMilliseconds} ms`,
    measured: `${format(milliseconds / 1000)} s`,
    floor: `${format(floor / 1000)} s`,
    ratio: milliseconds / floor,
    explanation: `The floor is ${rooms} bare calls, ${concurrency} at a time, as the gateway sends them in the background.`,
  };
}

async function createdRooms(stack: BenchStack): Promise<number> {
  const { byRoute } = await platformRequests(stack);
  const creates = Object.entries(byRoute).filter(([route]) => /^POST .*\/conference\/$/.test(route));
  return creates.reduce((sum, [, count]) => sum + count, 0);
}
