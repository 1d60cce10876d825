/** Whether 20,000 creates make the process grow. */
import { readFile } from "node:fs/promises";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { createMany, fillPool } from "./pool.ts";
import type { Result } from "./results.ts";

const creates = 20_000;
const batches = 20;
const maxRatio = 1.1;

/** Reads the app's memory after each batch. The first quarter of the batches is the warm-up. */
export async function measureMemory(stack: BenchStack): Promise<Result> {
  await fillPool(stack, await createBareCalls(stack), 100);
  const readings: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    await createMany(stack, creates / batches, 8);
    readings.push(await residentMebibytes(stack.appProcessId));
  }
  const middle = Math.max(...readings.slice(5, 12));
  const end = Math.max(...readings.slice(13));
  const ratio = end / middle;
  return {
    what: `Memory after ${creates} creates`,
    measured: `${end} MiB`,
    floor: `${middle} MiB`,
    ratio,
    target: { text: `ratio ≤ ${maxRatio}`, isReached: ratio <= maxRatio },
    explanation:
      "Both are maxima of the app's resident memory: in the last third, and before it after the warm-up.",
  };
}

/** Returns the resident memory as Linux reports it. Throws on other systems. */
async function residentMebibytes(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024);
}
