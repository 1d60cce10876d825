/** How long a pool of 500 takes to fill, against what the platform's own time allows. */
import { setTimeout as wait } from "node:timers/promises";
import type { BenchStack } from "./bench-stack.ts";
import type { Result } from "./results.ts";
import { round } from "./statistics.ts";
import { send, timed } from "./warm-http.ts";

const rooms = 500;
const latencyMilliseconds = 50;
// The platform client leaves background work three of its five slots.
const concurrency = 3;

export async function measureBulkCreate(stack: BenchStack): Promise<Result[]> {
  await stack.control("POST", "/control/reset");
  await stack.restartGateway({});
  const headers = { authorization: `Bearer ${stack.token}` };
  await send("DELETE", `${stack.gatewayUrl}/room/bulk`, { headers });
  await stack.control("POST", "/control/latency", { milliseconds: latencyMilliseconds });
  const milliseconds = await timed(async () => {
    await send("POST", `${stack.gatewayUrl}/room/bulk/?max_vmr=${rooms}`, { headers });
    const until = performance.now() + 120_000;
    while ((await created(stack)) < rooms) {
      if (performance.now() > until) throw new Error("the pool did not fill");
      await wait(50);
    }
  });
  await stack.control("POST", "/control/latency", { milliseconds: 0 });
  const floor = (rooms * latencyMilliseconds) / concurrency;
  return [
    {
      what: `bulk create of ${rooms}, platform latency ${latencyMilliseconds} ms`,
      figures: {
        secondsToFullPool: round(milliseconds / 1000),
        floorSeconds: round(floor / 1000),
        ratio: round(milliseconds / floor),
      },
      target: "time to a full pool against (500 × create latency ÷ concurrency)",
      remark: `Concurrency is ${concurrency}: of the client's five slots two are kept for callers who wait.`,
    },
  ];
}

async function created(stack: BenchStack): Promise<number> {
  const { byRoute } = (await stack.control("GET", "/control/requests")) as {
    byRoute: Record<string, number>;
  };
  const posts = Object.entries(byRoute).filter(([route]) => /^POST .*\/conference\/$/.test(route));
  return posts.reduce((sum, [, count]) => sum + count, 0);
}
