/** What the charts show of simulations: `npm run capacity` simulates it and keeps it in `data.json`. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import { estimateShare } from "../confidence.ts";
import { makePlan } from "../plan.ts";
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
export const loadHours = 10;
export const dayHours = 24;
const backlogMinutes = 15;
const seed = 1;

/** Simulates everything. Takes minutes. */
export async function simulateData(onProgress: (step: string) => void): Promise<ChartData> {
  const pools: ChartData["pools"] = [];
  for (const [readyDelaySeconds, peaks] of poolLoads)
    for (const peak of peaks) {
      onProgress(`pool at ${peak} rooms per hour, ready after ${readyDelaySeconds} s`);
      const scenario = { ...defaultScenario, perHour: peak, peak: 1, readyDelaySeconds };
      const { rooms } = await makePlan({ scenario, callers: 20_000, seed });
      pools.push({ readyDelaySeconds, perHour: peak, rooms });
    }
  const shares: ChartData["shares"] = [];
  for (const rooms of [34, 37, 40, 43, 46, 49, 52]) {
    onProgress(`share of empty pools with ${rooms} rooms`);
    shares.push(await simulateShare(rooms, rooms < 46 ? 20_000 : 60_000));
  }
  const backlogs = [];
  for (const [perHour, gcMaxMessages] of backlogLoads) {
    onProgress(`collector at ${perHour} rooms per hour`);
    backlogs.push(await simulateBacklog(perHour, gcMaxMessages));
  }
  const calls = [];
  for (const perDay of [5000, 15_000, 30_000, 45_000, 60_000]) {
    onProgress(`platform calls at ${perDay} rooms per day`);
    calls.push(await simulateCalls(perDay));
  }
  return { pools, shares, backlogs, calls };
}

const poolLoads: readonly (readonly [number, readonly number[]])[] = [
  [60, [1000, 6000]],
  [90, [500, 2000, 4000, 8000]],
  [180, [1000, 4000]],
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
  const perHour = perDay / 24;
  const peak = perHour * defaultScenario.peak;
  const scenario = { ...defaultScenario, perHour, gcMaxMessages: Math.max(20, Math.ceil(peak / 4)) };
  const { minutes } = await runLoad({ scenario, poolSize: 400, callers: peak * 3, hours: 2, seed });
  const counts = minutes.slice(60, 119).map(({ platformCalls }) => platformCalls);
  return {
    perDay,
    mean: counts.reduce((sum, count) => sum + count, 0) / counts.length,
    max: Math.max(...counts),
  };
}
