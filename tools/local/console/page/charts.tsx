/** The two charts: the pool's level against its target, and rooms by state. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { type HistoryPoint, roomStates, stateTitles } from "../console-state.ts";
import { timeOfDay, useMedia } from "./format.ts";

type Color = (name: string) => string;
type Options = Omit<uPlot.Options, "width" | "height">;

const height = 190;
const font = "12px system-ui, sans-serif";
const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

interface ChartProps {
  /** The present content of the chart as text, for users who cannot see it. */
  readonly label: string;
  readonly data: uPlot.AlignedData;
  /** The chart's lines and axes, drawn in the colours of the style sheet. */
  readonly options: (color: Color) => Options;
}

/** Draws one uPlot chart that follows its container's width and the colour scheme. */
function Chart({ label, data, options }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const scheme = useMedia("(prefers-color-scheme: dark)");

  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    // A canvas needs the one of the two colours that applies now.
    const color = (name: string): string => {
      element.style.color = `var(--${name})`;
      return getComputedStyle(element).color;
    };
    const created = new uPlot({ ...options(color), width: element.clientWidth, height }, data, element);
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [scheme]);
  useEffect(() => plot.current?.setData(data), [data]);

  return <div class="chart" role="img" aria-label={label} ref={container} />;
}

// Without them, uPlot's own steps can leave an axis without any time.
const timeSteps = [1, 2, 5, 10, 20, 30, 60, 120, 180, 300];

function overTime(color: Color, lines: readonly uPlot.Series[]): Options {
  const common = { stroke: color("muted"), font, ticks: { show: false } };
  return {
    // On the right, half of the last label.
    padding: [8, 28, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(4, max * 1.15)] } },
    series: [{}, ...lines.map((line) => ({ ...line, points: { show: false } }))],
    axes: [
      {
        ...common,
        size: 24,
        gap: 4,
        space: 90,
        incrs: timeSteps,
        grid: { show: false },
        values: (_, ticks) => ticks.map((seconds) => timeOfDay(seconds * 1000)),
      },
      {
        ...common,
        size: (_, values) => 12 + 7 * Math.max(...(values ?? []).map(({ length }) => length), 1),
        space: 36,
        incrs: wholeSteps,
        grid: { stroke: color("line"), width: 1 },
        values: (_, ticks) => ticks.map(String),
      },
    ],
  };
}

/** Draws a band behind the chart for each outage. The last series of the data says when there was one. */
function withOutages(color: Color, options: Options): Options {
  const fill = color("outage");
  const draw = (plot: uPlot): void => {
    const [times] = plot.data;
    const outages = plot.data.at(-1) ?? [];
    const { top, height: drawn } = plot.bbox;
    plot.ctx.fillStyle = fill;
    for (const [index, from] of times.entries()) {
      if (outages[index] !== 1 || outages[index - 1] === 1) continue;
      const end = outages.indexOf(0, index);
      const to = (end === -1 ? times.at(-1) : times[end]) ?? from;
      const [left, right] = [from, to].map((time) => plot.valToPos(time, "x", true));
      if (left !== undefined && right !== undefined) plot.ctx.fillRect(left, top, right - left, drawn);
    }
  };
  return { ...options, series: [...options.series, { show: false }], hooks: { drawAxes: [draw] } };
}

const outagesOf = (history: readonly HistoryPoint[]): number[] =>
  history.map(({ isOutage }) => (isOutage ? 1 : 0));

export function PoolChart({ history, target }: { history: readonly HistoryPoint[]; target: number }) {
  const data = useMemo<uPlot.AlignedData>(
    () => [
      history.map(({ time }) => time / 1000),
      history.map(({ poolLevel }) => poolLevel),
      history.map(() => target),
      outagesOf(history),
    ],
    [history, target],
  );
  const level = history.at(-1)?.poolLevel ?? 0;
  const outages = history.filter(({ isOutage }, index) => isOutage && !history[index - 1]?.isOutage).length;
  const options = (color: Color): Options =>
    withOutages(
      color,
      overTime(color, [
        { stroke: color("pooled"), fill: color("pooled-soft"), width: 2 },
        { stroke: color("muted"), width: 1.5, dash: [5, 4] },
      ]),
    );
  const label = `Pool over time: ${level} of ${target} rooms, outages: ${outages}`;
  return <Chart label={label} data={data} options={options} />;
}

/** Areas on top of each other. Each is drawn from zero up to its sum, the highest first, so the lower ones cover it. */
export function StatesChart({ history }: { history: readonly HistoryPoint[] }) {
  const data = useMemo<uPlot.AlignedData>(() => {
    const sums = history.map(({ counts }) => {
      let sum = 0;
      return roomStates.map((state) => (sum += counts[state]));
    });
    const series = roomStates.map((_, index) => sums.map((values) => values[index] ?? 0));
    return [history.map(({ time }) => time / 1000), ...series.toReversed(), outagesOf(history)];
  }, [history]);
  const counts = history.at(-1)?.counts;
  const text = roomStates.map((state) => `${stateTitles[state]} ${counts?.[state] ?? 0}`).join(", ");
  const options = (color: Color): Options => {
    const areas = roomStates.map((state) => ({ stroke: color(state), fill: color(state), width: 1 }));
    return withOutages(color, overTime(color, areas.toReversed()));
  };
  return <Chart label={`Rooms by state over time: ${text}`} data={data} options={options} />;
}
