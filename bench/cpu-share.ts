/** How busy each process was during a measurement, and thereby what limits it: a process has one thread of JavaScript. */

import type { BenchStack } from "./bench-stack.ts";
import { cpuMilliseconds } from "./linux-process.ts";
import { round } from "./statistics.ts";

export interface CpuUse {
  /** Processor time for each operation, by process; replacements and all else that ran meanwhile are part of it. */
  readonly cpuMillisecondsEach: string;
  /** The process that was busiest, and for which part of the time. */
  readonly busiest: string;
}

/** Begins to measure; the result takes the number of operations carried out since. */
export function startCpuMeasure({ processIds }: BenchStack): (operations: number) => CpuUse {
  const ids = Object.entries({ ...processIds, "load driver": process.pid });
  const startedAt = performance.now();
  const before = ids.map(([, id]) => cpuMilliseconds(id));
  return (operations) => {
    const elapsed = performance.now() - startedAt;
    const used = ids.map(([name, id], index) => ({
      name,
      milliseconds: cpuMilliseconds(id) - (before[index] ?? 0),
    }));
    const [most] = used.toSorted((one, other) => other.milliseconds - one.milliseconds);
    return {
      cpuMillisecondsEach: used
        .map(({ name, milliseconds }) => `${name} ${round(milliseconds / operations)}`)
        .join(", "),
      busiest: `${most?.name ?? ""} ${Math.round(((most?.milliseconds ?? 0) / elapsed) * 100)} %`,
    };
  };
}
