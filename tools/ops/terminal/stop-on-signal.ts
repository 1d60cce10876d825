/** Lets a command end after the step that it is in. */
import { exitCodes } from "../exit-codes.ts";
import type { Terminal } from "./terminal.ts";

// npm forwards a signal that the terminal has already sent, so one Ctrl-C can arrive twice.
const repeatMilliseconds = 500;

/** Aborts on the first SIGINT, SIGTERM or SIGHUP. A second one ends the process at once, which loses no room. */
export function stopOnSignal({ remark }: Pick<Terminal, "remark">): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = (): void => {
    if (!stopping.signal.aborted) {
      firstAt = Date.now();
      remark("Stopping after this step ... Press Ctrl-C again to stop at once.");
      stopping.abort();
    } else if (Date.now() - firstAt > repeatMilliseconds) process.exit(exitCodes.interrupted.code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  return stopping.signal;
}
