/** Counts the outbound calls of each invocation. */
import { AsyncLocalStorage } from "node:async_hooks";

/** How many calls went to one dependency, and how long they took together. Parallel calls add up. */
interface CallTotals {
  calls: number;
  milliseconds: number;
}

/** The totals of one invocation. */
export type OutboundCalls = Readonly<Record<"platform" | "storage", CallTotals>>;

const current = new AsyncLocalStorage<OutboundCalls>();

/** Creates totals of zero. */
export function createOutboundCalls(): OutboundCalls {
  return { platform: { calls: 0, milliseconds: 0 }, storage: { calls: 0, milliseconds: 0 } };
}

/** Runs `work` and adds every call that it makes to `totals`. */
export async function withOutboundCalls<T>(totals: OutboundCalls, work: () => Promise<T>): Promise<T> {
  return current.run(totals, work);
}

/** Makes one call and adds it to the totals of the invocation. Without totals, it only makes the call. */
export async function countCall<T>(dependency: keyof OutboundCalls, call: () => Promise<T>): Promise<T> {
  const totals = current.getStore()?.[dependency];
  if (totals === undefined) return call();
  const startedAt = performance.now();
  try {
    return await call();
  } finally {
    totals.calls += 1;
    totals.milliseconds += performance.now() - startedAt;
  }
}
