/** What Linux's /proc knows of a process; nothing (0) on other systems. */
import { readdirSync, readFileSync } from "node:fs";

// USER_HZ, which is 100 on every common build of Linux.
const ticksPerSecond = 100;

/** The first child of a process; undefined when it has none. */
export function childOf(processId: number): number | undefined {
  const child = entries().find((entry) => statusOf(entry).includes(`PPid:\t${processId}\n`));
  return child === undefined ? undefined : Number(child);
}

/** Resident memory. */
export function residentMebibytes(processId: number): number {
  const resident = /VmRSS:\s+(\d+) kB/.exec(statusOf(String(processId)))?.[1];
  return Math.round(Number(resident ?? 0) / 1024);
}

/** Processor time used so far, in user and in system mode. */
export function cpuMilliseconds(processId: number): number {
  // The second field is the program's name in parentheses, which may hold spaces.
  const fields = read(`/proc/${processId}/stat`).split(") ").at(-1)?.split(" ") ?? [];
  const [user, system] = [fields[11], fields[12]];
  return ((Number(user ?? 0) + Number(system ?? 0)) * 1000) / ticksPerSecond;
}

function entries(): string[] {
  try {
    return readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
}

function statusOf(processId: string): string {
  return read(`/proc/${processId}/status`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
