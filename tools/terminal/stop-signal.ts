/** Stops a command in an orderly way: on Ctrl-C, on SIGTERM, and when its terminal or npm has exited. */

const repeatMilliseconds = 500;
const watchMilliseconds = 1000;

interface StopOptions {
  readonly print: (line: string) => void;
  /** What is printed on the first signal, for example `Stopping`. */
  readonly first: string;
  /** The exit code after the second signal. */
  readonly exitCode: number;
}

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP, if the reader of the output has ended, as in `ops rooms | head`, or if
 * the npm that started the command has died. A second signal ends the process at once. By default, it ends with 0: all
 * state is in memory, and child processes end too.
 */
export function stopSignal(
  { print, first, exitCode }: StopOptions = { print: console.log, first: "Stopping", exitCode: 0 },
): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = (): void => {
    if (!stopping.signal.aborted) {
      firstAt = Date.now();
      print(`${first} ... Press Ctrl-C again to stop at once.`);
      stopping.abort();
    } else if (Date.now() - firstAt > repeatMilliseconds) {
      // npm forwards a signal that the terminal has already sent, so one Ctrl-C can arrive twice.
      process.exit(exitCode);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // Without a terminal or reader, each line written would throw.
  process.stdout.on("error", () => stopping.abort());
  process.stderr.on("error", () => stopping.abort());
  watchNpm(stop);
  return stopping.signal;
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
