/** A command's terminal: its output and its log. */
import type { Log, LogFields } from "../../../src/lib/log.ts";
import { createProgress, type Output } from "../../terminal/progress.ts";

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

/** Creates the log for the gateway's own code, whose warnings and errors are remarks. */
export function createCommandLog({ remark }: Pick<Terminal, "remark">): Log {
  const show = (event: string, fields: LogFields = {}, cause?: unknown): void => {
    const details = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
    remark(`  ${event}${details.join("")}${cause instanceof Error ? `: ${cause.message}` : ""}`);
  };
  return { info: () => undefined, warn: show, error: show };
}

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
