/** Runs one load in four parts with seeds of their own, as many at a time as the computer has cores. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import PQueue from "p-queue";
import type { Load, LoadResult } from "./run-load.ts";

/** The result of the parts together. */
export interface PartsResult {
  readonly callers: number;
  readonly emptyByBlock: readonly number[];
  readonly failed: number;
  readonly leadSeconds: number;
}

const partCount = 4;

/** Runs the parts. The result depends on the load and its seed only, and not on the computer. */
export async function runParts(load: Load, signal?: AbortSignal): Promise<PartsResult> {
  const turns = new PQueue({ concurrency: Math.max(1, availableParallelism()) });
  const callers = Math.ceil(load.callers / partCount);
  const parts = await Promise.all(
    Array.from({ length: partCount }, async (_, part) =>
      turns.add(async () => runInWorker({ ...load, callers, seed: load.seed + part }, signal)),
    ),
  );
  return {
    callers: callers * partCount,
    emptyByBlock: parts.flatMap(({ emptyByBlock }) => emptyByBlock),
    failed: parts.reduce((sum, { failed }) => sum + failed, 0),
    leadSeconds: parts.reduce((sum, { leadSeconds }) => sum + leadSeconds, 0) / partCount,
  };
}

async function runInWorker(load: Load, signal: AbortSignal | undefined): Promise<LoadResult> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL("load-worker.ts", import.meta.url), { workerData: load });
  const end = (): void => void worker.terminate();
  signal?.addEventListener("abort", end);
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the simulation was interrupted")));
    });
  } finally {
    signal?.removeEventListener("abort", end);
  }
}
