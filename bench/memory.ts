/** Whether 20,000 creates in one process make it grow. */
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./bench-stack.ts";
import { createMany } from "./create-calls.ts";
import { residentMebibytes } from "./linux-process.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";

const batches = 20;
const pooled = 100;

/** Replacements keep the pool filled; the app's memory is read after each twentieth, and the first quarter is the warm-up. */
export async function measureMemory(stack: BenchStack, creates: number): Promise<Result[]> {
  // The pool keeps its size: whoever finds it empty has another room made only up to this number.
  await stack.restartGateway({ MAX_VMR: String(pooled) });
  await fillPool(stack, createBareCalls(stack), pooled);
  const readings: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    await createMany(stack, creates / batches, 8);
    readings.push(residentMebibytes(stack.processIds.app));
  }
  const middle = Math.max(...readings.slice(5, 12));
  const end = Math.max(...readings.slice(13));
  return [
    {
      what: `${creates} creates in one process`,
      figures: {
        mebibytesAfterWarmUp: readings[5] ?? 0,
        maxInMiddleMebibytes: middle,
        maxAtEndMebibytes: end,
      },
      target: "no growth of memory after warm-up",
      isReached: end <= middle * 1.1,
    },
  ];
}
