/** Where a command writes: results to standard output, progress and remarks to standard error. */
import type { Output } from "../../local/terminal/progress.ts";

export interface Terminal {
  /** Writes a line of the result to standard output. */
  readonly print: (line: string) => void;
  /** Writes a remark to standard error, where it does not mix with a result that a script reads. */
  readonly remark: (line: string) => void;
  /** Where progress is shown: standard error. */
  readonly progress: Output;
  /** Whether somebody reads standard output on a screen. */
  readonly isScreen: boolean;
}

/** Creates the terminal of this process. */
export function createTerminal(): Terminal {
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    remark: (line) => void process.stderr.write(`${line}\n`),
    progress: process.stderr,
    isScreen: process.stdout.isTTY,
  };
}
