/** How fast the event sink answers, against a bare put of the same name. */
import { identities } from "../local/gateway/identities.ts";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { describeFailures, runOpenLoop } from "./open-loop.ts";
import type { Result } from "./results.ts";
import { round, summarise } from "./statistics.ts";
import { send } from "./warm-http.ts";

const ratePerSecond = 200;

/** Poisson arrivals of conference_ended events, each of another room, then the same rate of bare puts. */
export async function measureSink(stack: BenchStack, seconds: number): Promise<Result[]> {
  const bare = createBareCalls(stack);
  const credentials = Buffer.from(`${identities.sinkUsername}:${identities.sinkPassword}`).toString("base64");
  const headers = { authorization: `Basic ${credentials}`, "content-type": "application/json" };
  let sequence = 0;
  const post = async () => {
    sequence += 1;
    const data = { name: `ended-${sequence}`, service_type: "conference" };
    const body = JSON.stringify({
      node: "10.0.0.21",
      seq: sequence,
      version: 2,
      event: "conference_ended",
      data,
    });
    const { status } = await send("POST", `${stack.gatewayUrl}/public/event_sink`, { headers, body });
    if (status !== 204) throw new Error(`event sink: ${status}`);
  };
  const put = async () => bare.put("deletion", `bare-${(sequence += 1)}`);
  await runOpenLoop({ ratePerSecond, seconds: 3, task: post });
  const { times, failures } = await runOpenLoop({ ratePerSecond, seconds, task: post });
  const events = summarise(times);
  const puts = summarise((await runOpenLoop({ ratePerSecond, seconds, task: put })).times);
  return [
    {
      what: `event sink at ${ratePerSecond}/s for ${seconds} s`,
      figures: {
        failures: describeFailures(failures),
        p50Milliseconds: events.p50,
        p99Milliseconds: events.p99,
        barePutP50Milliseconds: puts.p50,
        barePutP99Milliseconds: puts.p99,
        ratioP50: round(events.p50 / puts.p50),
      },
      target: "p99 ≤ 25 ms, ratio to a bare enqueue",
      isReached: events.p99 <= 25 && times.length > 0 && Object.keys(failures).length === 0,
    },
  ];
}
