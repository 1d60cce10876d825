/** The response time of the event sink. */
import { identities } from "../local/stack/identities.ts";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { runOpenLoop } from "./open-loop.ts";
import type { Result } from "./results.ts";
import { formatTimes, summarise } from "./statistics.ts";
import { sendExpecting } from "./warm-http.ts";

const ratePerSecond = 200;
const seconds = 20;
const maxP99Milliseconds = 25;

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
  await runOpenLoop({ ratePerSecond, seconds: 3, task: post });
  const { times, failures } = await runOpenLoop({ ratePerSecond, seconds, task: post });
  const events = summarise(times);
  const floor = summarise((await runOpenLoop({ ratePerSecond, seconds, task: put })).times);
  return {
    what: `Event sink at ${ratePerSecond}/s for ${seconds} s`,
    measured: `${formatTimes(events)}, ${failures} of ${times.length + failures} failed`,
    floor: formatTimes(floor),
    ratio: events.p50 / floor.p50,
    target: {
      text: `p99 ≤ ${maxP99Milliseconds} ms, no failures`,
      isReached: events.p99 <= maxP99Milliseconds && failures === 0,
    },
    explanation:
      "The floor is a bare put of the same name; the rest is mostly the host with its two processes.",
  };
}
