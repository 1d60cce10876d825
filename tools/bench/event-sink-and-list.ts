/** The event sink, and the list of many rooms. */
import { identities } from "../local/stack/identities.ts";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { runOpenLoop, seedRooms, setLatency } from "./load.ts";
import { atMost, compareTimes, type Result } from "./results.ts";
import { sendExpecting, timed } from "./warm-http.ts";

const events = { ratePerSecond: 100, seconds: 15 };

/** First conference_ended events, each for another room, then bare puts at the same rate. */
export async function measureEventSink(stack: BenchStack): Promise<Result> {
  const bare = await createBareCalls(stack);
  const credentials = Buffer.from(`${identities.sinkUsername}:${identities.sinkPassword}`).toString("base64");
  const headers = { authorization: `Basic ${credentials}`, "content-type": "application/json" };
  let sequence = 0;
  const post = async () => {
    sequence += 1;
    const data = { name: `ended-${sequence}`, service_type: "conference" };
    const event = { node: "10.0.0.21", seq: sequence, version: 2, event: "conference_ended", data };
    const url = `${stack.gatewayUrl}/public/event_sink`;
    await sendExpecting(204, "POST", url, { headers, body: JSON.stringify(event) });
  };
  const put = async () => bare.put("deletion", `bare-${(sequence += 1)}`);
  await runOpenLoop({ ...events, seconds: 3, task: post });
  const { times, failures } = await runOpenLoop({ ...events, task: post });
  const floor = await runOpenLoop({ ...events, task: put });
  const compared = compareTimes(times, floor.times);
  return {
    what: `Event sink at ${events.ratePerSecond}/s for ${events.seconds} s`,
    ...compared,
    measured: `${compared.measured}, ${failures} failed`,
    target: atMost(5),
    explanation:
      "The floor is a bare put of the same name. The rest is mostly the host with its two processes.",
  };
}

const latencyMilliseconds = 20;
const rooms = 20_000;
const rowsPerPage = 500;
const warmUpRounds = 5;
const rounds = 15;

/** GET /room/list in turn with reading the same pages. */
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
    target: atMost(1.2),
    explanation: "The floor is the same pages. The rest is checking and converting the rows.",
  };
}
