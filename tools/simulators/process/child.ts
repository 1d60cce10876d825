/** Starts a script that prints its URLs as one JSON line, and ends it whatever happens to this process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type * as z from "zod";

export interface ChildOptions<Addresses> {
  /** The script's path, relative to the project's root. */
  readonly script: string;
  readonly addressesSchema: z.ZodType<Addresses>;
  readonly args?: readonly string[];
  /** The whole environment, apart from PATH and HOME. */
  readonly environment?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));
const startTimeoutSeconds = 60;
const running = new Set<ChildProcess>();

// The last resort: a process that is exiting can no longer wait for its children.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts the script. Throws if it ends, or 60 s pass, before it has printed its URLs. */
export async function startChild<Addresses>(options: ChildOptions<Addresses>) {
  const { script, addressesSchema, args = [], environment = {} } = options;
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment },
    stdio: ["pipe", "pipe", "inherit"],
    // A terminal's Ctrl-C must not end it before this process, whose calls to it would fail.
    detached: true,
  });
  running.add(child);
  /** Resolves with the exit code, or with the name of the signal that ended the process. */
  const exited = once(child, "exit").then(([code, signal]: (number | string | null)[]) => {
    running.delete(child);
    return code ?? signal ?? null;
  });
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  // Writing to a process that has just been killed fails, which does no harm.
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout });
  const timeout = AbortSignal.timeout(startTimeoutSeconds * 1000);
  const firstLine = once(lines, "line", { signal: timeout }).catch(() => undefined);
  const [line] = (await Promise.race([firstLine, exited.then(() => undefined)])) ?? [];
  const { pid } = child;
  if (line === undefined || pid === undefined) {
    await end("SIGKILL");
    throw new Error(`${script} ended before it was ready`);
  }
  return {
    processId: pid,
    /** The first line that the script printed. */
    addresses: addressesSchema.parse(JSON.parse(String(line))),
    exited,
    /** Asks the process to end (SIGTERM) and resolves when it has. */
    stop: async () => end("SIGTERM"),
    /** Ends the process at once (SIGKILL) and resolves when it has ended. */
    kill: async () => end("SIGKILL"),
  };
}
