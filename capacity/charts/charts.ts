/** The charts of docs/capacity.md, by the names of their files. */
import { emptyShare, smallestPool } from "../erlang.ts";
import { findLimits } from "../limits.ts";
import { nominalLeadSeconds } from "../plan.ts";
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
    note: "Curves: Erlang B for 1 empty pool in 10,000. Dots: planned with the simulation.",
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
    note: "1,200 rooms per hour, ready after 90 s. Curve: Erlang B. Dots: simulation, 95 %.",
    lines: [
      {
        colour: 0,
        label: "Erlang B",
        points: range(30, 57, 1).map((rooms) => ({ x: rooms, y: emptyShare(rooms, load) })),
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
    note: "Simulated: load from 08:00 to 18:00, then none.",
    lines: backlogs.map(({ perHour, gcMaxMessages, ended }, index) => ({
      colour: colourOf(index),
      label: `${perHour} per hour${gcMaxMessages === 20 ? "" : `, ${gcMaxMessages} per run`}`,
      points: ended.map((count, quarter): Point => ({ x: (quarter + 1) / 4, y: count })),
    })),
    dots: [],
  };
}

function platformCalls({ calls }: ChartData): Chart {
  const perRoom = (perDay: number): number => {
    const scenario = { ...defaultScenario, perHour: perDay / 24 };
    const limit = findLimits(scenario, { size: 0, perHour: 0 }).find(({ part }) =>
      part.includes("calls per minute"),
    );
    return (defaultScenario.callsPerMinute * scenario.perHour * scenario.peak) / (limit?.roomsPerHour ?? 1);
  };
  return {
    title: "Calls to the platform at the peak",
    description:
      "Platform calls per minute against rooms per day. They reach the platform's limit of 1,000 at about 68,000 rooms per day.",
    x: { label: "rooms per day", domain: [0, 100_000], ticks: range(0, 100_000, 20_000), format: whole },
    y: { label: "Calls per minute", domain: [0, 1500], ticks: range(0, 1500, 250), format: whole },
    note: "The peak is three times the average. Curve: calculated. Dots: simulated mean and busiest minute.",
    lines: [
      {
        colour: 0,
        label: "7 per room",
        points: range(0, 100_000, 5000).map((perDay) => ({ x: perDay, y: perRoom(perDay) })),
      },
    ],
    dots: [
      {
        colour: 0,
        points: calls.map(({ perDay, mean, max }) => ({ x: perDay, y: mean, low: mean, high: max })),
      },
    ],
    limits: [{ y: defaultScenario.callsPerMinute, label: "limit of the platform" }],
  };
}

function colourOf(index: number): 0 | 1 | 2 | 3 {
  const colours = [0, 1, 2, 3] as const;
  return colours[index] ?? 0;
}
