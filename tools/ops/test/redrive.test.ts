/** `ops redrive` on queues in memory: single failed operations, and messages that reappear. */
import { beforeEach, expect, test } from "vitest";
import { createFaultyQueue, type FaultyQueue } from "../../../test/support/faulty-queue.ts";
import { createManualClock, type ManualClock } from "../../../test/support/manual-clock.ts";
import { createMemoryQueue } from "../../../test/support/memory-queue.ts";
import { memoryTarget } from "./memory-target.ts";
import { ops } from "./operated-gateway.ts";

const request = '{"reason":"claimed"}';

let clock: ManualClock;
let poison: FaultyQueue;
let provisioning: FaultyQueue;
let order: string[];

beforeEach(() => {
  clock = createManualClock();
  order = [];
  poison = createFaultyQueue(createMemoryQueue(clock));
  provisioning = createFaultyQueue(createMemoryQueue(clock));
});

async function redrive(...args: string[]) {
  const put: typeof provisioning.put = async (text, options) => {
    order.push("put");
    return provisioning.put(text, options);
  };
  const target = memoryTarget({
    queues: {
      ...memoryTarget().queues,
      provisioning: { ...provisioning, put },
      poison: {
        ...poison,
        receive: async (count, leaseSeconds) => {
          // A slow computer: the leases of the first messages end while the command still receives.
          clock.advance(0.1);
          order.push("receive");
          if (order.length > 5000) throw new Error("the command does not end");
          return poison.receive(count, leaseSeconds);
        },
        delete: async (message) => {
          order.push("delete");
          await poison.delete(message);
        },
      },
    },
  });
  return ops(["redrive", "--yes", ...args], { connect: async () => target });
}

test("Puts a request back before it deletes the message", async () => {
  await poison.put(request);
  expect(await redrive()).toMatchObject({ exitCode: 0 });
  expect(order).toEqual(["receive", "put", "delete", "receive"]);
});

test.each(["before", "after"] as const)(
  "Keeps the message if the put fails %s storage has it",
  async (when) => {
    await poison.put(request);
    provisioning.strikeNext("put", { failure: "unknown", when });
    expect(await redrive()).toMatchObject({ exitCode: 3 });
    expect(poison.texts()).toEqual([request]);
    expect(order).not.toContain("delete");
  },
);

test("Ends with 1 if a message cannot be deleted, and has moved nothing else", async () => {
  for (let message = 0; message < 2; message++) await poison.put(request);
  for (let attempt = 0; attempt < 2; attempt++) poison.strikeNext("delete", { failure: "unknown" });
  const { exitCode, remarks } = await redrive();
  expect(exitCode).toBe(1);
  expect(remarks).toContain("a message could not be deleted from the poison queue");
  expect([poison.texts().length, provisioning.texts().length]).toEqual([2, 1]);
});

test("Ends although unreadable messages come back while it still receives", async () => {
  for (let message = 0; message < 400; message++) await poison.put("not a request");
  const { exitCode, output } = await redrive();
  expect(exitCode).toBe(1);
  expect(output).toContain("0 requests moved.\n");
  expect(order.length).toBeLessThanOrEqual(400);
  expect(poison.contents().filter(({ visibleAt }) => visibleAt > clock.now())).toEqual([]);
});

test("Does not count an unreadable message as deleted if storage refuses", async () => {
  await poison.put("not a request");
  for (let attempt = 0; attempt < 2; attempt++) poison.strikeNext("delete", { failure: "unknown" });
  const { exitCode, output } = await redrive("--drop-unreadable");
  expect(exitCode).toBe(1);
  expect(output).not.toContain("deleted");
});
