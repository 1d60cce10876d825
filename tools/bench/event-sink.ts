/** Measures the response time of the event sink. */
import { identities } from "../local/stack/identities.ts";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { runOpenLoop } from "./load.ts";
import { atMost, compareTimes, type Result } from "./results.ts";
import { sendExpecting } from "./warm-http.ts";

const load = { ratePerSecond: 100, seconds: 15 };

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
  await runOpenLoop({ ...load, seconds: 3, task: post });
  const { times, failures } = await runOpenLoop({ ...load, task: post });
  const floor = await runOpenLoop({ ...load, task: put });
  const compared = compareTimes(times, floor.times);
  return {
    what: `Event sink at ${load.ratePerSecond}/s for ${load.seconds} s`,
    ...compared,
    measured: `${compared.measured}, ${failures} failed`,
    target: atMost(5),
    explanation:
      "The floor is a bare put of the same name. The rest is mostly the host with its two processes.",
  };
}
