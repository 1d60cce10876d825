/** How the local host polls, leases and retries messages, and what it says about an outage of their queue. */
import { expect, onTestFinished, test } from "vitest";
import { type QueueListenerOptions, startQueueListener } from "../../host/queue-listener.ts";
import { createMemoryQueue } from "../../memory/queue.ts";

const now = Date.UTC(2026, 0, 2);

type Polling = Pick<QueueListenerOptions, "pause"> & { readonly maxPollingIntervalSeconds?: number };

/** Listens to a queue with unequal settings. */
function listen(run: () => Promise<void>, { maxPollingIntervalSeconds = 0.1, ...options }: Polling = {}) {
  const queue = createMemoryQueue({ now: () => now });
  const log: string[] = [];
  const stop = startQueueListener({
    queue,
    queueName: "work",
    poisonQueue: createMemoryQueue({ now: () => now }),
    settings: {
      batchSize: 3,
      newBatchThreshold: 1,
      maxDequeueCount: 5,
      messageEncoding: "base64",
      leaseSeconds: 600,
      visibilityTimeoutSeconds: 30,
      maxPollingIntervalSeconds,
    },
    run,
    ...options,
    log: (_, message) => log.push(message),
  });
  return { queue, log, stop };
}

test("Messages are leased and retried after the times of host.json, and each outage of their queue is logged once", async () => {
  const leasedUntil: (number | undefined)[] = [];
  const { queue, log, stop } = listen(async () => {
    leasedUntil.push(queue.contents()[0]?.visibleAt);
    throw new Error("failed on purpose");
  });
  onTestFinished(stop);
  const warning = "The queue 'work' cannot be read: QueueError: injected into receive";
  for (const outages of [1, 2]) {
    const before = queue.calls.length;
    for (let calls = 0; calls < 2; calls++) queue.strikeNext("receive", { failure: "unknown" });
    await expect.poll(() => queue.calls.length - before).toBeGreaterThan(3);
    expect(log).toEqual(Array.from({ length: outages }, () => warning));
  }
  await queue.put("é");
  const retried = { dequeueCount: 1, visibleAt: now + 30_000 };
  await expect.poll(() => queue.contents()).toMatchObject([retried]);
  expect(leasedUntil).toEqual([now + 600_000]);
});

test("An empty queue is polled after 0.1 s, then after twice the pause up to that of host.json, until it has a message", async () => {
  const pauses: number[] = [];
  const ended = Promise.withResolvers<undefined>();
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    if (pauses.length === 5) await queue.put("1");
    if (pauses.length === 7) await ended.promise;
  };
  const { queue, stop } = listen(async () => undefined, { pause, maxPollingIntervalSeconds: 0.5 });
  await expect.poll(() => pauses.length).toBe(7);
  expect(pauses).toEqual([100, 200, 400, 500, 500, 100, 200]);
  const stopped = stop();
  ended.resolve(undefined);
  await stopped;
});

test("A batch is received as soon as no more messages than the threshold are in progress", async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const { queue, stop } = listen(async () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  for (const text of ["1", "2", "3", "4", "5", "6", "7"]) await queue.put(text);
  await expect.poll(() => runs.length).toBe(3);
  for (const run of runs.slice(0, 2)) run.resolve();
  await expect.poll(() => runs.length).toBe(6);
  const stopped = stop();
  for (const run of runs) run.resolve();
  await stopped;
  expect(queue.texts()).toHaveLength(1);
});
