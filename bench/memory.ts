/** Memory of a process and of the child that it runs the app in, and whether 20,000 creates make it grow. */
import { readdirSync, readFileSync } from "node:fs";
import { createBareCalls } from "./bare-calls.ts";
import type { BenchStack } from "./processes.ts";
import type { Result } from "./results.ts";
import { fillPool } from "./rooms.ts";
import { send } from "./warm-http.ts";

/** Resident memory of the app, the child of the host's process; 0 where /proc does not exist. */
export function residentMebibytes(hostProcessId: number): number {
  try {
    const child = readdirSync("/proc").find(
      (entry) => /^\d+$/.test(entry) && statusOf(entry).includes(`PPid:\t${hostProcessId}\n`),
    );
    const resident = /VmRSS:\s+(\d+) kB/.exec(statusOf(child ?? String(hostProcessId)))?.[1];
    return Math.round(Number(resident ?? 0) / 1024);
  } catch {
    return 0;
  }
}

function statusOf(processId: string): string {
  try {
    return readFileSync(`/proc/${processId}/status`, "utf8");
  } catch {
    return "";
  }
}

/** Creates rooms in batches; memory is read after each batch, and the first quarter is the warm-up. */
export async function measureMemory(stack: BenchStack, creates: number): Promise<Result[]> {
  const bare = createBareCalls(stack);
  const batch = creates / 20;
  const readings: number[] = [];
  for (let done = 0; done < creates; done += batch) {
    await fillPool(stack, bare, Math.max(0, batch - 20));
    let left = batch;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        const headers = { authorization: `Bearer ${stack.token}` };
        const { status } = await send("POST", `${stack.gatewayUrl}/room/create`, { headers });
        if (status !== 200 && status !== 404) throw new Error(`create: ${status}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    readings.push(residentMebibytes(stack.gatewayProcessId));
  }
  const middle = Math.max(...readings.slice(5, 12));
  const end = Math.max(...readings.slice(13));
  return [
    {
      what: `${creates} creates in one process`,
      figures: {
        mebibytesAfterWarmUp: readings[5] ?? 0,
        highestInMiddleMebibytes: middle,
        highestAtEndMebibytes: end,
      },
      target: "no growth of memory after warm-up",
      isReached: end <= middle * 1.1,
    },
  ];
}
