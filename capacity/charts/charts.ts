/** The charts of docs/capacity.md, by the names of their files. */
import { emptyShare, smallestPool } from "../erlang.ts";
import { peakCallsPerMinute } from "../limits.ts";
import { nominalLeadSeconds, planSettings } from "../plan.ts";
import { defaultScenario } from "../scenario.ts";
import { type Chart, drawChart, type Point } from "./chart.ts";
import { type ChartData, shareScenario } from "./data.ts";

/** Returns the SVG of each chart. */
export function drawCharts(data: ChartData): Readonly<Record<string, string>> {
  return {
    "pool-size.svg": drawChart(poolSize(data)),
    "empty-pool.svg": drawChart(emptyPool(data)),
    "collector.svg": drawChart(collector(data)),
    "platform-calls.svg": drawChart(platformCalls(data)),
  };
}

// It only decides on the pages of a list.
const assumedPoolSize = 200;
// All but one end at zero: their labels stand above each other.
const backlogLabelsDown = [0, -34, 0, -17];
const whole = (value: number): string => value.toLocaleString("en-US");
const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

function poolSize({ pools }: ChartData): Chart {
  const delays = [180, 90, 60] as const;
  const sizeAt = (perHour: number, readyDelaySeconds: number): number => {
    const seconds = nominalLeadSeconds({ ...defaultScenario, readyDelaySeconds });
    return smallestPool((perHour * seconds) / 3600, 1 / defaultScenario.oneIn);
  };
  return {
    title: "How large the pool must be",
    description:
      "Rooms in the pool against rooms handed out per hour at the peak, for three ready delays. The curves are almost straight.",
    x: {
      label: "rooms handed out per hour, at the peak",
      domain: [0, 8000],
      ticks: range(0, 8000, 1000),
      format: whole,
    },
    y: { label: "Rooms in the pool", domain: [0, 500], ticks: range(0, 500, 100), format: whole },
    note: "Curves: Erlang B, 1 empty pool in 10,000. Dots: planned with simulations.",
    lines: delays.map((delay, index) => ({
      colour: colourOf(index),
      label: `ready after ${delay} s`,
      points: range(0, 8000, 100).map((perHour) => ({ x: perHour, y: sizeAt(perHour, delay) })),
    })),
    dots: delays.map((delay, index) => ({
      colour: colourOf(index),
      points: pools
        .filter(({ readyDelaySeconds }) => readyDelaySeconds === delay)
        .map(({ perHour, rooms }) => ({ x: perHour, y: rooms })),
    })),
  };
}

function emptyPool({ shares }: ChartData): Chart {
  const load = (shareScenario.perHour * shareScenario.peak * nominalLeadSeconds(shareScenario)) / 3600;
  return {
    title: "How often the pool is empty",
    description:
      "The share of callers who find the pool empty against the rooms in the pool. Each further room lowers it by the same factor.",
    x: { label: "rooms in the pool", domain: [30, 60], ticks: range(30, 60, 5), format: whole },
    y: {
      label: "Callers who find the pool empty",
      domain: [0.000_01, 0.2],
      isLog: true,
      ticks: [0.1, 0.01, 0.001, 0.0001, 0.000_01],
      format: (share) => `1 in ${whole(Math.round(1 / share))}`,
    },
    note: "1,200 per hour. Curve: Erlang B. Dots: simulated, 95 % intervals.",
    lines: [
      {
        colour: 0,
        label: "Erlang B",
        labelDown: -14,
        points: range(30, 56, 1).map((rooms) => ({ x: rooms, y: emptyShare(rooms, load) })),
      },
    ],
    dots: [
      { colour: 0, points: shares.map(({ rooms, share, low, high }) => ({ x: rooms, y: share, low, high })) },
    ],
    limits: [{ y: 0.0001, label: "planned: 1 in 10,000" }],
  };
}

function collector({ backlogs }: ChartData): Chart {
  return {
    title: "Rooms that wait for their deletion",
    description:
      "Messages in the deletion queue over a day with ten hours of load. With 20 messages per run, loads above 120 rooms per hour leave a backlog until the night.",
    x: {
      label: "time of day",
      domain: [0, 24],
      ticks: range(0, 24, 4),
      format: (hours) => `${String((hours + 8) % 24).padStart(2, "0")}:00`,
    },
    y: {
      label: "Ended rooms in the deletion queue",
      domain: [0, 3000],
      ticks: range(0, 3000, 500),
      format: whole,
    },
    note: "Load from 08:00 to 18:00; 20 per run, if not stated.",
    lines: backlogs.map(({ perHour, gcMaxMessages, ended }, index) => ({
      colour: colourOf(index),
      label: gcMaxMessages === 20 ? `${perHour} per hour` : `${perHour}, ${gcMaxMessages} per run`,
      labelDown: backlogLabelsDown[index] ?? 0,
      points: ended.map((count, quarter): Point => ({ x: (quarter + 1) / 4, y: count })),
    })),
    dots: [],
  };
}

function platformCalls({ calls }: ChartData): Chart {
  const points = (kind: "mean" | "collecting"): Point[] =>
    range(1000, 100_000, 1000).map((perDay) => {
      const scenario = planSettings({ ...defaultScenario, perHour: perDay / 24 });
      return { x: perDay, y: peakCallsPerMinute(scenario, assumedPoolSize)[kind] };
    });
  return {
    title: "Calls to the platform, at a peak of three times the average",
    description:
      "Platform calls per minute against rooms per day. While the collector runs, they reach the limit of 1,000 at about 80,000 rooms per day.",
    x: { label: "rooms per day", domain: [0, 100_000], ticks: range(0, 100_000, 20_000), format: whole },
    y: { label: "Calls per minute", domain: [0, 1250], ticks: range(0, 1250, 250), format: whole },
    note: "Lines: calculated. Dots: simulated, mean and busiest minute of an hour.",
    lines: [
      { colour: 1, label: "collector runs", points: points("collecting") },
      { colour: 0, label: "mean", points: points("mean"), labelDown: 6 },
    ],
    dots: [
      { colour: 1, points: calls.map(({ perDay, max }) => ({ x: perDay, y: max })) },
      { colour: 0, points: calls.map(({ perDay, mean }) => ({ x: perDay, y: mean })) },
    ],
    limits: [{ y: defaultScenario.callsPerMinute, label: "the platform's limit" }],
  };
}

function colourOf(index: number): 0 | 1 | 2 | 3 {
  const colours = [0, 1, 2, 3] as const;
  return colours[index] ?? 0;
}
