/** The totals of outbound calls: how each invocation counts its own. */
import PQueue from "p-queue";
import { expect, test } from "vitest";
import { countCall, createOutboundCalls, withOutboundCalls } from "../../src/lib/call-totals.ts";

const call = async () => {
  await new Promise(setImmediate);
  return "response";
};

test("calls are counted for the dependency that they go to", async () => {
  const totals = createOutboundCalls();
  const response = await withOutboundCalls(totals, async () => {
    await Promise.all([countCall("platform", call), countCall("platform", call)]);
    return countCall("storage", call);
  });
  expect(response).toBe("response");
  expect([totals.platform.calls, totals.storage.calls]).toEqual([2, 1]);
});

test("a call that fails is counted, and its error is thrown", async () => {
  const totals = createOutboundCalls();
  const failure = new Error("reset");
  const failing = withOutboundCalls(totals, async () =>
    countCall("platform", async () => {
      throw failure;
    }),
  );
  await expect(failing).rejects.toBe(failure);
  expect(totals.platform.calls).toBe(1);
});

test("a call outside an invocation is made and not counted", async () => {
  expect(await countCall("storage", call)).toBe("response");
});

test("a call that waits in a shared queue is counted for the invocation that made it", async () => {
  const queue = new PQueue({ concurrency: 1 });
  const invoke = async (calls: number) => {
    const totals = createOutboundCalls();
    await withOutboundCalls(totals, async () => {
      const task = async () => countCall("platform", call);
      await Promise.all(Array.from({ length: calls }, async () => queue.add(task)));
    });
    return totals.platform.calls;
  };
  expect(await Promise.all([invoke(1), invoke(3), invoke(2)])).toEqual([1, 3, 2]);
});
