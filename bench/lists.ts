/** What reading many rooms costs: the list, the collector and the metrics run, against the bare calls beneath them. */
import { setTimeout as wait } from "node:timers/promises";
import { createBareCalls } from "./bare-calls.ts";
import { residentMebibytes } from "./memory.ts";
import type { BenchStack } from "./processes.ts";
import type { Result } from "./results.ts";
import { seedRooms } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";
import { send, timed } from "./warm-http.ts";

const rowsPerPage = 500;
// Ten pages of rooms, the live conferences and the alarms.
const metricsCalls = 12;

/** GET /room/list with growing numbers of rooms, in turn with fetching the same pages bare. */
export async function measureLists(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await stack.control("POST", "/control/reset");
  const results: Result[] = [];
  let held = 0;
  for (const rooms of [100, 1000, 5000, 20_000]) {
    await seedRooms(stack, rooms - held);
    held = rooms;
    const lists: number[] = [];
    const pages: number[] = [];
    const rounds = rooms >= 5000 ? 5 : 15;
    for (let index = 0; index < rounds + 2; index++) {
      const page = await timed(async () => bare.listPages(rowsPerPage));
      const list = await timed(async () => {
        const headers = { authorization: `Bearer ${stack.token}` };
        const { status, text } = await send("GET", `${stack.gatewayUrl}/room/list`, { headers });
        if (status !== 200 || !text.endsWith("]")) throw new Error(`list: ${status}`);
      });
      if (index < 2) continue;
      lists.push(list);
      pages.push(page);
    }
    const [list, page] = [summarise(lists), summarise(pages)];
    const ratio = round(list.p50 / page.p50);
    results.push({
      what: `list of ${rooms} rooms`,
      figures: {
        p50Milliseconds: list.p50,
        barePagesP50Milliseconds: page.p50,
        ratio,
        microsecondsPerRoom: round((list.p50 / rooms) * 1000),
        gatewayMebibytes: residentMebibytes(stack.gatewayProcessId),
      },
      target: "≤ 1.2 × fetching the same pages bare, growth linear",
      isReached: ratio <= 1.2,
      ...(rooms === 100 && {
        remark:
          "A fixed part of some 5 ms (host, token check, answer) weighs most where there are few rooms; pages are fetched side by side, so that the ratio falls as they become many. No latency was added: with 20 ms a page the fixed part all but vanishes.",
      }),
    });
  }
  return results;
}

/** The collector with 20 messages, and the metrics run, both with 5,000 rooms on the platform. */
export async function measureBackground(stack: BenchStack): Promise<Result[]> {
  const bare = createBareCalls(stack);
  await stack.control("POST", "/control/reset");
  await stack.restartGateway({ GC_MINIMUM_AGE_SECONDS: "0" });
  const names = await seedRooms(stack, 5000);
  for (const name of names.slice(0, 20)) await bare.put("deletion", name);
  const pages = summarise(await repeat(5, async () => bare.listPages(rowsPerPage)));
  const collector = await timeRun(stack, "collectGarbage", async () => (await roomCount(stack)) === 4980);
  const before = await requestTotal(stack);
  const metrics = await timeRun(
    stack,
    "collectMetrics",
    async () => (await requestTotal(stack)) >= before + metricsCalls,
  );
  const bareCalls = { barePagesP50Milliseconds: pages.p50 };
  return [
    {
      what: "collector with 20 messages and 5,000 rooms",
      figures: { milliseconds: round(collector), ...bareCalls, ratio: round(collector / pages.p50) },
      target: "ratio to the bare calls",
      remark:
        "On top of the pages: one status call and one delete for each room, one after the other, and the queue.",
    },
    {
      what: "metrics run with 5,000 rooms",
      figures: { milliseconds: round(metrics), ...bareCalls, ratio: round(metrics / pages.p50) },
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

async function roomCount(stack: BenchStack): Promise<number> {
  const { byRoute } = (await stack.control("GET", "/control/requests")) as {
    byRoute: Record<string, number>;
  };
  const deletes = Object.entries(byRoute).filter(([route]) => route.startsWith("DELETE "));
  return 5000 - deletes.reduce((sum, [, count]) => sum + count, 0);
}
