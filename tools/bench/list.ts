/** Measures the list of many rooms. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { seedRooms, setLatency } from "./load.ts";
import { atMost, compareTimes, type Result } from "./results.ts";
import { sendExpecting, timed } from "./warm-http.ts";

const latencyMilliseconds = 20;
const rooms = 20_000;
const rowsPerPage = 500;
const warmUpRounds = 5;
const rounds = 15;

/** GET /room/list in turn with reading the same pages one after the other. */
export async function measureList(stack: BenchStack): Promise<Result> {
  const bare = await createBareCalls(stack);
  await seedRooms(stack, rooms);
  await setLatency(stack, latencyMilliseconds);
  const url = `${stack.gatewayUrl}/room/list`;
  const lists: number[] = [];
  const pages: number[] = [];
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    pages.push(await timed(async () => bare.listPages(rowsPerPage)));
    lists.push(await timed(async () => sendExpecting(200, "GET", url, { headers: stack.bearer })));
  }
  return {
    what: `List of ${rooms} rooms, platform latency ${latencyMilliseconds} ms`,
    ...compareTimes(lists.slice(warmUpRounds), pages.slice(warmUpRounds)),
    target: atMost(0.8),
    explanation: "The floor is the same pages read one after the other. The gateway reads several at a time.",
  };
}
