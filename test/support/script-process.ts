/** Runs a script of the project as a user would, and captures its output and what it leaves behind. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, vi } from "vitest";

export const projectFolder = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Starts `node <script> <arguments>` in a folder. The script's path is relative to the project's folder. Its remaining
 * processes are killed after the test.
 */
export function runScriptIn(folder: string, script: string, ...args: string[]) {
  const child = spawn(process.execPath, [join(projectFolder, script), ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  /** Resolves with the exit code, or the name of the signal that ended it. */
  const exited = once(child, "close").then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? null,
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  /** Resolves when standard output has this text; throws when the script ends before. */
  const printed = async (text: string): Promise<void> => {
    const isOver = () => output.includes(text) || child.exitCode !== null;
    await vi.waitFor(() => expect(isOver()).toBe(true), { timeout: 300_000 });
    expect({ output, errors }).toMatchObject({ output: expect.stringContaining(text) });
  };
  /** Sends a signal and resolves with the exit code. */
  const end = async (signal: NodeJS.Signals): Promise<number | string | null> => {
    child.kill(signal);
    return exited;
  };
  return { child, output: () => output, errors: () => errors, printed, exited, end };
}

/** The ids of a process's children. Not every Linux has `ps`, but it shows its processes as files. */
export async function childrenOf(processId: number | undefined): Promise<number[]> {
  if (existsSync("/proc/self/status")) {
    const parent = new RegExp(`^PPid:\\s+${processId}$`, "m");
    const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return ids.map(Number).filter((id) => parent.test(statusOf(id)));
  }
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([id, parent]) => (id !== undefined && parent === processId ? [id] : []));
}

/** What Linux says about a process. Empty if it has ended, and on other systems. */
function statusOf(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/status`, "utf8");
  } catch {
    return "";
  }
}

/** Whether a process runs. A zombie still receives signals, but has ended. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch {
    return false;
  }
  return !/^State:\s+Z/m.test(statusOf(processId));
}

/** A folder with an unusual name, which is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "VMR gateway für [1] "));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
