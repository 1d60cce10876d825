/** What the charts show of simulations: `npm run capacity` simulates it and keeps it in `data.json`. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { estimateShare } from "../confidence.ts";
import { makePlan, planByFormula } from "../plan.ts";
import { defaultScenario, type Scenario } from "../scenario.ts";
import { runLoad } from "../simulation/run-load.ts";
import { runParts } from "../simulation/run-parts.ts";

const schema = z.object({
  /** Planned pools by lead time and load. */
  pools: z.array(z.object({ readyDelaySeconds: z.number(), perHour: z.number(), rooms: z.number() })),
  /** The share of empty pools by pool size. */
  shares: z.array(z.object({ rooms: z.number(), share: z.number(), low: z.number(), high: z.number() })),
  /** Messages in the deletion queue after each quarter of an hour. */
  backlogs: z.array(z.object({ perHour: z.number(), gcMaxMessages: z.number(), ended: z.array(z.number()) })),
  /** Platform calls in the minutes of the peak. */
  calls: z.array(z.object({ perDay: z.number(), mean: z.number(), max: z.number() })),
});

export type ChartData = z.infer<typeof schema>;

export const dataUrl = new URL("data.json", import.meta.url);

/** Returns the data that was simulated last. */
export function readData(): ChartData {
  return schema.parse(JSON.parse(readFileSync(dataUrl, "utf8")));
}

export const shareScenario: Scenario = { ...defaultScenario, gcMaxMessages: 200 };
const loadHours = 10;
const dayHours = 24;
const backlogMinutes = 15;
const seed = 1;

type Simulations = {
  readonly [Part in keyof ChartData]: (onProgress: (step: string) => void) => Promise<ChartData[Part]>;
};

/** Each simulates one part of the data. All of them together take minutes. */
export const simulations: Simulations = {
  pools: async (onProgress) => {
    const pools: ChartData["pools"] = [];
    for (const [readyDelaySeconds, perHour] of poolLoads) {
      onProgress(`pool at ${perHour} rooms per hour, ready after ${readyDelaySeconds} s`);
      const scenario = { ...defaultScenario, perHour: perHour / defaultScenario.peak, readyDelaySeconds };
      const { rooms } = await makePlan({ scenario, callers: 12_000, seed });
      pools.push({ readyDelaySeconds, perHour, rooms });
    }
    return pools;
  },
  shares: async (onProgress) => {
    const shares: ChartData["shares"] = [];
    for (const [rooms, callers] of sharePools) {
      onProgress(`share of empty pools with ${rooms} rooms`);
      shares.push(await simulateShare(rooms, callers));
    }
    return shares;
  },
  backlogs: async (onProgress) => {
    const backlogs: ChartData["backlogs"] = [];
    for (const [perHour, gcMaxMessages] of backlogLoads) {
      onProgress(`collector at ${perHour} rooms per hour`);
      backlogs.push(await simulateBacklog(perHour, gcMaxMessages));
    }
    return backlogs;
  },
  calls: async (onProgress) => {
    const calls: ChartData["calls"] = [];
    for (const perDay of [10_000, 30_000, 50_000, 80_000]) {
      onProgress(`platform calls at ${perDay} rooms per day`);
      calls.push(await simulateCalls(perDay));
    }
    return calls;
  },
};

const poolLoads: readonly (readonly [number, number])[] = [
  [60, 1000],
  [60, 6000],
  [90, 500],
  [90, 2000],
  [90, 4000],
  [90, 8000],
  [180, 1000],
  [180, 4000],
];

const sharePools: readonly (readonly [number, number])[] = [
  [34, 20_000],
  [37, 20_000],
  [40, 20_000],
  [43, 20_000],
  [46, 60_000],
  [49, 60_000],
  [52, 60_000],
];

const backlogLoads: readonly (readonly [number, number])[] = [
  [120, 20],
  [200, 20],
  [400, 20],
  [400, 70],
];

async function simulateShare(rooms: number, callers: number): Promise<ChartData["shares"][number]> {
  const counts = await runParts({ scenario: shareScenario, poolSize: rooms, callers, seed });
  const load = (counts.leadSeconds * shareScenario.perHour * shareScenario.peak) / 3600;
  const { share, low, high } = estimateShare(counts.callers, counts.emptyByBlock, load / rooms);
  return { rooms, share, low, high };
}

/** Simulates a day: ten hours of load, then none. */
export async function simulateBacklog(
  perHour: number,
  gcMaxMessages: number,
): Promise<ChartData["backlogs"][number]> {
  const scenario = { ...defaultScenario, perHour, gcMaxMessages };
  const load = { scenario, poolSize: 60, callers: perHour * loadHours, perHour, hours: dayHours, seed };
  const { minutes } = await runLoad(load);
  return {
    perHour,
    gcMaxMessages,
    ended: minutes.filter((_, minute) => (minute + 1) % backlogMinutes === 0).map(({ ended }) => ended),
  };
}

/** Simulates two hours of a day's peak and counts the calls in the second one. */
async function simulateCalls(perDay: number): Promise<ChartData["calls"][number]> {
  const { scenario, rooms } = planByFormula({ ...defaultScenario, perHour: perDay / 24 });
  const callers = Math.ceil(3 * scenario.perHour * scenario.peak);
  const { minutes } = await runLoad({ scenario, poolSize: rooms, callers, hours: 2, seed });
  const counts = minutes.slice(60, 119).map(({ platformCalls }) => platformCalls);
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return { perDay, mean, max: Math.max(...counts) };
}
