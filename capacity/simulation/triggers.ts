/** What starts the gateway's background work: the two timers, and the queue trigger of provisioning. */

import type { Dependencies } from "../../src/lib/dependencies.ts";
import type { QueueMessage } from "../../src/lib/ports.ts";
import type { SeededRandom } from "../../tools/local/process/seeded-random.ts";
import type { SimulatedGateway } from "./gateway.ts";
import type { VirtualTime } from "./virtual-time.ts";

// As in src/functions, in host.json and in tools/local/host/queue-listener.ts.
const collectorMinutes = 10;
const metricsMinutes = 5;
const minPollMilliseconds = 100;
const maxPollMilliseconds = 2000;
const messagesPerInstance = 5;
const leaseSeconds = 600;
const retrySeconds = 30;

/** Starts the timers and the queue trigger. They run as long as the time does. */
export function startTriggers(gateway: SimulatedGateway, time: VirtualTime, random: SeededRandom): void {
  const { collector, metrics, queueTrigger, log } = gateway;
  void every(collectorMinutes, time, async () => collector.garbageCollection.collect(log));
  void every(metricsMinutes, time, async () => metrics.metricsCollection.collect(log));
  const busy = queueTrigger.map(() => 0);
  for (const [index, instance] of queueTrigger.entries())
    void listen({ gateway, time, random, busy, index, instance });
}

async function every(minutes: number, time: VirtualTime, run: () => Promise<void>): Promise<void> {
  const milliseconds = minutes * 60_000;
  for (;;) {
    await time.sleep(milliseconds - (time.now() % milliseconds));
    // The run has logged its failure, and the timer continues.
    await run().catch(() => undefined);
  }
}

interface Listener {
  readonly gateway: SimulatedGateway;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  /** The number of messages that each instance works on. */
  readonly busy: number[];
  readonly index: number;
  readonly instance: Dependencies;
}

/** Polls as the host does. An instance joins when the one before it is fully occupied, as if scaling took no time. */
async function listen({ gateway, time, random, busy, index, instance }: Listener): Promise<void> {
  const { provisioning } = gateway.queues;
  const isFull = (other: number): boolean => (busy[other] ?? 0) >= messagesPerInstance;

  async function serve(message: QueueMessage): Promise<void> {
    busy[index] = (busy[index] ?? 0) + 1;
    const request: unknown = JSON.parse(message.text);
    await instance.provisioning.provision(request, message.dequeueCount, gateway.log).then(
      async () => provisioning.delete(message),
      async () => provisioning.setInvisible(message, retrySeconds),
    );
    busy[index] = (busy[index] ?? 1) - 1;
  }

  for (let pause = minPollMilliseconds; ; ) {
    const isNeeded = !isFull(index) && (index === 0 || isFull(index - 1));
    const [message] = isNeeded ? await provisioning.receive(1, leaseSeconds) : [];
    if (message) {
      void serve(message);
      pause = minPollMilliseconds;
      continue;
    }
    await time.sleep(Math.min(pause * random.between(0.8, 1.2), maxPollMilliseconds));
    pause = Math.min(2 * pause, maxPollMilliseconds);
  }
}
