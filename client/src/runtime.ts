/** What the client needs from its environment: network, clock, random numbers and timers. Tests replace them. */

export interface Runtime {
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Returns a signal that aborts after this time. */
  readonly timeout: (milliseconds: number) => AbortSignal;
  /** Resolves after this time. Rejects with the signal's reason if the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Returns the real runtime, with another `fetch` if one is given. */
export function createRuntime(fetchOverride?: typeof fetch): Runtime {
  return {
    fetch: fetchOverride ?? (async (input, init) => fetch(input, init)),
    now: Date.now,
    random: Math.random,
    timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
    wait: async (milliseconds, signal) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const waited = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, milliseconds);
      });
      return untilAborted(waited, signal).finally(() => clearTimeout(timer));
    },
  };
}

/** Settles as the work does. Rejects with the signal's reason as soon as the signal aborts. */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
