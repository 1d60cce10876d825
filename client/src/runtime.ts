/** The surroundings of the client: network, clock, random numbers and waiting. Tests replace them. */

export interface Runtime {
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Resolves after this time. Rejects with the signal's reason if the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Returns the real surroundings, with another `fetch` if there is one. */
export function createRuntime(fetchOverride?: typeof fetch): Runtime {
  return {
    fetch: fetchOverride ?? (async (input, init) => fetch(input, init)),
    now: () => Date.now(),
    random: () => Math.random(),
    wait: async (milliseconds, signal) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const waited = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, milliseconds);
      });
      try {
        await untilAborted(waited, signal);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Settles as the work does. Rejects with the signal's reason as soon as the signal aborts. */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Returns the address without slashes at its end. Throws a TypeError if it is neither https nor on this computer. */
export function secureUrl(address: string): string {
  const { protocol, hostname } = new URL(address);
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (protocol === "https:" || (protocol === "http:" && isLoopback)) return address.replace(/\/+$/, "");
  throw new TypeError(`${address} must begin with https:// (http:// is for this computer only)`);
}
