/** The list of many rooms. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { seedRooms, setLatency } from "./pool.ts";
import type { Result } from "./results.ts";
import { formatTimes, summarise } from "./statistics.ts";
import { sendExpecting, timed } from "./warm-http.ts";

const latencyMilliseconds = 20;
const rowsPerPage = 500;
const warmUpRounds = 5;
const rounds = 15;
const maxRatio = 1.2;

/** GET /room/list in turn with reading the same pages one after the other. */
export async function measureList(stack: BenchStack): Promise<Result[]> {
  const bare = await createBareCalls(stack);
  const results: Result[] = [];
  let seeded = 0;
  for (const rooms of [1000, 20_000]) {
    await seedRooms(stack, rooms - seeded);
    seeded = rooms;
    await setLatency(stack, latencyMilliseconds);
    const lists: number[] = [];
    const pages: number[] = [];
    for (let round = 0; round < warmUpRounds + rounds; round++) {
      pages.push(await timed(async () => bare.listPages(rowsPerPage)));
      const url = `${stack.gatewayUrl}/room/list`;
      lists.push(await timed(async () => sendExpecting(200, "GET", url, { headers: stack.bearer })));
    }
    await setLatency(stack, 0);
    const [listed, floor] = [summarise(lists.slice(warmUpRounds)), summarise(pages.slice(warmUpRounds))];
    const ratio = listed.p50 / floor.p50;
    results.push({
      what: `List of ${rooms} rooms, platform latency ${latencyMilliseconds} ms`,
      measured: formatTimes(listed),
      floor: formatTimes(floor),
      ratio,
      target: { text: `ratio ≤ ${maxRatio}`, isReached: ratio <= maxRatio },
      explanation:
        "The floor is the same pages read one after the other; the gateway reads several at a time.",
    });
  }
  return results;
}
