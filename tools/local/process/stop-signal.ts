/** Stops a command in an orderly way: on Ctrl-C, on SIGTERM, and when its terminal or npm has exited. */

const interruptedExitCode = 130;
const repeatMilliseconds = 500;
const watchMilliseconds = 1000;

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP, on failing standard output, or if the npm that started the command has
 * died. A second signal ends the process at once, with code 0: all state is in memory, and child processes end too.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = (): void => {
    if (!stopping.signal.aborted) {
      firstAt = Date.now();
      console.log("Stopping ... Press Ctrl-C again to stop at once.");
      stopping.abort();
    } else if (Date.now() - firstAt > repeatMilliseconds) {
      // npm forwards a signal that the terminal has already sent, so one Ctrl-C can arrive twice.
      process.exit(0);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // Without a terminal or reader, each line written would throw.
  process.stdout.on("error", () => stopping.abort());
  process.stderr.on("error", () => stopping.abort());
  watchNpm(stop);
  return stopping.signal;
}

/** Ends the process with 130 on the first SIGINT, SIGTERM or SIGHUP, without waiting. Child processes end too. */
export function endOnSignal(consequence: string): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      console.log(`Interrupted. ${consequence}`);
      process.exit(interruptedExitCode);
    });
}

/** A killed npm forwards no signal, so its script would stay behind. */
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

/** Resolves when the signal aborts, or at once if it has. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  await new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve(), { once: true }));
}
