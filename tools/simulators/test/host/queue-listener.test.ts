/** How the local host leases and retries messages, and what it says about an outage of their queue. */
import { expect, onTestFinished, test } from "vitest";
import { startQueueListener } from "../../host/queue-listener.ts";
import { createMemoryQueue } from "../../memory/queue.ts";

const now = Date.UTC(2026, 0, 2);

test("Messages are leased and retried after the times of host.json, and each outage of their queue is logged once", async () => {
  const queue = createMemoryQueue({ now: () => now });
  const log: string[] = [];
  const leasedUntil: (number | undefined)[] = [];
  const stop = startQueueListener({
    queue,
    queueName: "work",
    poisonQueue: createMemoryQueue({ now: () => now }),
    settings: {
      batchSize: 16,
      newBatchThreshold: 8,
      maxDequeueCount: 5,
      messageEncoding: "base64",
      leaseSeconds: 600,
      visibilityTimeoutSeconds: 30,
      maxPollingIntervalSeconds: 0.1,
    },
    run: async () => {
      leasedUntil.push(queue.contents()[0]?.visibleAt);
      throw new Error("failed on purpose");
    },
    log: (_, message) => log.push(message),
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
