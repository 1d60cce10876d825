/** Starts scripts that print their addresses as one JSON line, and ends them whatever happens to this process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";

export interface Child {
  readonly processId: number;
  readonly addresses: Readonly<Record<string, string>>;
  /** Ends the process at once and resolves when it is gone. */
  kill(): Promise<void>;
}

export type LineReader = (line: string, processId: number) => void;

export interface ChildOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Receives each line after the first. */
  readonly onLine?: LineReader;
}

const addressesSchema = z.record(z.string(), z.string());
const startSeconds = 60;
const running = new Set<ChildProcess>();

// The last resort: a process that is told to exit cannot wait for its children any more.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a script of this repository, by its path in it. Rejects when it ends before it has said where it is. */
export async function startChild(script: string, options: ChildOptions = {}): Promise<Child> {
  const { args = [], environment = {}, onLine = () => undefined } = options;
  const path = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  running.add(child);
  const exited = once(child, "exit").finally(() => running.delete(child));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  // A write to a process that has just been killed fails, and nothing is lost by it.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout });
  const firstLine = once(lines, "line", { signal: AbortSignal.timeout(startSeconds * 1000) });
  const outcome = await Promise.race([firstLine, exited.then(() => undefined)]).catch(() => undefined);
  if (outcome === undefined || child.pid === undefined) {
    firstLine.catch(() => undefined);
    await kill();
    throw new Error(`${script} has ended before it was ready`);
  }
  const processId = child.pid;
  lines.on("line", (line) => onLine(line, processId));
  return { processId, addresses: addressesSchema.parse(JSON.parse(String(outcome[0]))), kill };
}
