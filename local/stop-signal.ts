// Ends a command in an orderly way: on Ctrl-C, when it is asked to end, and when its terminal goes away.

const repeatMilliseconds = 500;

/**
 * Aborts at the first SIGINT, SIGTERM, SIGHUP or failing standard output. A further signal ends the process at
 * once, with code 0: everything is in memory, and child processes end when this one does.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = (): void => {
    if (!stopping.signal.aborted) {
      firstAt = Date.now();
      stopping.abort();
    } else if (Date.now() - firstAt > repeatMilliseconds) {
      // npm passes a signal on that the terminal has sent already: one Ctrl-C can arrive twice.
      process.exit(0);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // After its terminal or reader has gone, each line written would throw.
  process.stdout.on("error", () => stopping.abort());
  process.stderr.on("error", () => stopping.abort());
  return stopping.signal;
}

/** Resolves when the signal aborts, at once when it has. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  await new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve(), { once: true }));
}
