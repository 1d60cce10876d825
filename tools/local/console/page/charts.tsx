/** The three charts: the pool's level against its target, rooms by state, and how long creates take. */
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { type CreateLatency, type HistoryPoint, roomStates, stateTitles } from "../console-state.ts";
import { Chart } from "./chart.tsx";

type Color = (name: string) => string;
type Options = Omit<uPlot.Options, "width" | "height">;

const font = "12px system-ui, sans-serif";

function axes(color: Color): { x: uPlot.Axis; y: uPlot.Axis } {
  const common = { stroke: color("muted"), font, ticks: { show: false } };
  return {
    x: { ...common, size: 28, grid: { show: false }, space: 80, values: (_, ticks) => ticks.map(clockTime) },
    y: { ...common, size: 36, grid: { stroke: color("line"), width: 1 }, space: 36, incrs: wholeSteps },
  };
}

const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

function clockTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
}

const fromZero = (_: uPlot, __: number, max: number): [number, number] => [0, Math.max(4, max * 1.15)];

/** A chart over time that nobody can move or click. */
function overTime(color: Color, lines: readonly uPlot.Series[]): Options {
  return {
    cursor: { show: false },
    legend: { show: false },
    scales: { y: { range: fromZero } },
    series: [{}, ...lines.map((line) => ({ ...line, points: { show: false } }))],
    axes: [axes(color).x, axes(color).y],
  };
}

export function PoolChart({ history, target }: { history: readonly HistoryPoint[]; target: number }) {
  const data = useMemo<uPlot.AlignedData>(
    () => [
      history.map(({ time }) => time / 1000),
      history.map(({ poolLevel }) => poolLevel),
      history.map(() => target),
    ],
    [history, target],
  );
  const level = history.at(-1)?.poolLevel ?? 0;
  const options = (color: Color): Options =>
    overTime(color, [
      { stroke: color("pooled"), fill: color("pooled-soft"), width: 2 },
      { stroke: color("muted"), width: 1.5, dash: [5, 4] },
    ]);
  return <Chart label={`Pool over time: ${level} of ${target} rooms`} data={data} options={options} />;
}

/** Areas on top of each other. Each is drawn from zero up to its sum, the highest first, so the lower ones cover it. */
export function StatesChart({ history }: { history: readonly HistoryPoint[] }) {
  const data = useMemo<uPlot.AlignedData>(() => {
    const sums = history.map(({ counts }) => {
      let sum = 0;
      return roomStates.map((state) => (sum += counts[state]));
    });
    const series = roomStates.map((_, index) => sums.map((values) => values[index] ?? 0));
    return [history.map(({ time }) => time / 1000), ...series.toReversed()];
  }, [history]);
  const counts = history.at(-1)?.counts;
  const text = roomStates.map((state) => `${stateTitles[state]} ${counts?.[state] ?? 0}`).join(", ");
  const options = (color: Color): Options => {
    const areas = roomStates.map((state) => ({ stroke: color("surface"), fill: color(state), width: 1 }));
    return overTime(color, areas.toReversed());
  };
  return <Chart label={`Rooms by state over time: ${text}`} data={data} options={options} />;
}

export function CreateHistogram({ latency }: { latency: CreateLatency }) {
  const { buckets, count } = latency;
  const data = useMemo<uPlot.AlignedData>(
    () => [buckets.map((_, index) => index), buckets.map((bucket) => bucket.count)],
    [buckets],
  );
  const name = (index: number): string => {
    const upTo = buckets[index]?.upTo ?? 0;
    if (![10, 100, 1000, 10_000].includes(upTo)) return "";
    return upTo < 1000 ? `${upTo} ms` : `${upTo / 1000} s`;
  };
  const options = (color: Color): Options => {
    const bars = uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.8, 60], radius: 0.15 }) };
    const indices = buckets.map((_, index) => index);
    const x = { splits: () => indices, space: 1, values: (_: uPlot, ticks: number[]) => ticks.map(name) };
    return {
      ...overTime(color, [{ fill: color("assigned"), stroke: color("assigned"), width: 0, ...bars }]),
      scales: { x: { time: false, range: [-0.6, buckets.length - 0.4] }, y: { range: fromZero } },
      axes: [{ ...axes(color).x, ...x }, axes(color).y],
    };
  };
  const filled = buckets.filter((bucket) => bucket.count > 0);
  const text = filled.map((bucket) => `${bucket.count} up to ${bucket.upTo} ms`).join(", ");
  return <Chart label={`Durations of ${count} creates: ${text || "none"}`} data={data} options={options} />;
}
