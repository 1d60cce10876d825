/** What reading many rooms costs, against fetching the same pages bare. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { setLatency } from "./create-calls.ts";
import { residentMebibytes } from "./linux-process.ts";
import type { Result } from "./results.ts";
import { seedRooms } from "./rooms.ts";
import { round, summarise } from "./statistics.ts";
import { send, timed } from "./warm-http.ts";

const rowsPerPage = 500;

/** GET /room/list with growing numbers of rooms, in turn with the bare pages, without and with platform latency. */
export async function measureLists(stack: BenchStack): Promise<Result[]> {
  await stack.control("POST", "/control/reset");
  const results: Result[] = [];
  let held = 0;
  for (const rooms of [100, 1000, 5000, 20_000]) {
    await seedRooms(stack, rooms - held);
    held = rooms;
    for (const latencyMilliseconds of [0, 20])
      results.push(await measureList(stack, rooms, latencyMilliseconds));
  }
  return results;
}

async function measureList(stack: BenchStack, rooms: number, latencyMilliseconds: number): Promise<Result> {
  const bare = createBareCalls(stack);
  const headers = { authorization: `Bearer ${stack.token}` };
  await setLatency(stack, latencyMilliseconds);
  const lists: number[] = [];
  const pages: number[] = [];
  const [warmUps, rounds] = rooms >= 5000 ? [2, 5] : [20, 20];
  for (let index = 0; index < warmUps + rounds; index++) {
    const page = await timed(async () => bare.listPages(rowsPerPage));
    const list = await timed(async () => {
      const { status, text } = await send("GET", `${stack.gatewayUrl}/room/list`, { headers });
      if (status !== 200 || !text.endsWith("]")) throw new Error(`list: ${status}`);
    });
    if (index < warmUps) continue;
    lists.push(list);
    pages.push(page);
  }
  await setLatency(stack, 0);
  const [list, page] = [summarise(lists), summarise(pages)];
  const ratio = round(list.p50 / page.p50);
  return {
    what: `list of ${rooms} rooms, platform latency ${latencyMilliseconds} ms`,
    figures: {
      p50Milliseconds: list.p50,
      barePagesP50Milliseconds: page.p50,
      ratio,
      microsecondsPerRoom: round((list.p50 / rooms) * 1000),
      gatewayMebibytes: residentMebibytes(stack.processIds.app),
    },
    target: "≤ 1.2 × fetching the same pages bare, growth linear",
    isReached: ratio <= 1.2,
    ...(latencyMilliseconds === 0 && {
      remark:
        "On top of the pages come the rows being put into the answer's shape, the host's two hops between its processes and " +
        "the answer's way through them: milliseconds that weigh most where there are few rooms and the platform answers at " +
        "once. How they divide is not measured here.",
    }),
  };
}
