/** A command's terminal: its output, its progress and its log. */
import type { Log } from "../../src/lib/log.ts";
import { createProgress, type Output } from "../terminal/progress.ts";

export interface Terminal {
  /** Writes a line of the result to standard output. */
  readonly print: (line: string) => void;
  /** Writes a remark to standard error, where it does not mix with a result that a script reads. */
  readonly remark: (line: string) => void;
  /** Where progress is shown: standard error. */
  readonly progress: Output;
  /** Whether standard output is a screen. */
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

/** For the gateway's own code: a command says itself what it met. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Returns the result of work that shows how much of the total it has done. */
export async function withProgress<Result>(
  { progress: output }: Pick<Terminal, "progress">,
  label: string,
  total: number,
  work: (show: (done: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = createProgress(output, label, total);
  try {
    progress.show(0);
    return await work((done) => progress.show(done));
  } finally {
    progress.end();
  }
}
