/** Ends a command in an orderly way: on Ctrl-C, when it is asked to end, and when its terminal goes away. */

const repeatMilliseconds = 500;
const watchMilliseconds = 1000;

/**
 * Aborts at the first SIGINT, SIGTERM, SIGHUP or failing standard output, or when the npm that started it has died. A further signal ends the process at
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
  watchNpm(stop);
  return stopping.signal;
}

/** An npm that was killed passes no signal on: its script would stay behind. */
function watchNpm(stop: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, watchMilliseconds);
  watch.unref();
}

/** Resolves when the signal aborts, at once when it has. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  await new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve(), { once: true }));
}
