/** The timers' work with many rooms on the platform, against the same calls made bare. */
import { setTimeout as wait } from "node:timers/promises";
import { type BareCalls, createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import type { Result } from "./results.ts";
import { seedRooms } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";
import { send, timed } from "./warm-http.ts";

const rowsPerPage = 500;
// Ten pages of rooms, the live conferences and the alarms.
const metricsCalls = 12;
const messages = 20;

/** The collector with 20 messages, and the metrics run, both with 5,000 rooms on the platform. */
export async function measureBackground(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await stack.control("POST", "/control/reset");
  await stack.restartGateway({ GC_MINIMUM_AGE_SECONDS: "0" });
  const names = await seedRooms(stack, 5000);
  for (const name of names.slice(0, messages)) await bare.put("deletion", name);
  const pages = summarise(await repeat(5, async () => bare.listPages(rowsPerPage)));
  const floor = await timed(async () => collectBare(bare));
  for (const name of names.slice(messages, 2 * messages)) await bare.put("deletion", name);
  const collector = await timeRun(
    stack,
    "collectGarbage",
    async () => (await deletedRooms(stack)) === 2 * messages,
  );
  const before = await requestTotal(stack);
  const metrics = await timeRun(
    stack,
    "collectMetrics",
    async () => (await requestTotal(stack)) >= before + metricsCalls,
  );
  return [
    {
      what: "collector with 20 messages and 5,000 rooms",
      figures: {
        milliseconds: round(collector),
        bareCallsMilliseconds: round(floor),
        ratio: round(collector / floor),
      },
      target: "ratio to the bare calls",
      remark:
        "Until the last room is deleted. Bare are the pages and, for each message, its receive, the status call, a look-up " +
        "(which the collector has from its list), the delete of the room and the delete of the message, one after the other.",
    },
    {
      what: "metrics run with 5,000 rooms",
      figures: {
        milliseconds: round(metrics),
        barePagesP50Milliseconds: pages.p50,
        ratio: round(metrics / pages.p50),
      },
      target: "ratio to the bare calls",
      remark:
        "Until the last platform call of the run; pages, live conferences, alarms and queues are read side by side.",
    },
  ];
}

async function repeat(count: number, task: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await timed(task));
  return times;
}

/** Fires a timer by hand; milliseconds until the condition holds, which is asked for every 5 ms. */
async function timeRun(
  { gatewayUrl }: BenchStack,
  functionName: string,
  isOver: () => Promise<boolean>,
): Promise<number> {
  return timed(async () => {
    await send("POST", `${gatewayUrl}/admin/functions/${functionName}`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: "" }),
    });
    const until = performance.now() + 60_000;
    while (!(await isOver())) {
      if (performance.now() > until) throw new Error(`${functionName} did not end`);
      await wait(5);
    }
  });
}

async function requestTotal(stack: BenchStack): Promise<number> {
  return ((await stack.control("GET", "/control/requests")) as { total: number }).total;
}

async function deletedRooms(stack: BenchStack): Promise<number> {
  const { byRoute } = (await stack.control("GET", "/control/requests")) as {
    byRoute: Record<string, number>;
  };
  const deletes = Object.entries(byRoute).filter(([route]) => route.startsWith("DELETE "));
  return deletes.reduce((sum, [, count]) => sum + count, 0);
}

/** What the collector does, by bare calls. */
async function collectBare(bare: BareCalls): Promise<void> {
  await bare.listPages(rowsPerPage);
  for (let count = 0; count < messages; count++) {
    const message = await bare.receive("deletion");
    if (await bare.isLive(message.text)) throw new Error(`${message.text} is live`);
    await bare.deleteRoom((await bare.find(message.text)).id);
    await bare.remove(message, "deletion");
  }
}
