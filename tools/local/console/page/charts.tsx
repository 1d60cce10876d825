/** The two charts: rooms in the pool against its level, and rooms by state. Outages are bands behind them. */
import { type HistoryPoint, roomStates, stateTitles } from "../console-state.ts";
import { countOutages, scaleOf, summedCounts } from "../view.ts";
import { stateStyle, timeOfDay } from "./format.ts";

interface Area {
  readonly state: string;
  readonly values: readonly number[];
}

interface ChartProps {
  /** The present content of the chart as text, for users who cannot see it. */
  readonly label: string;
  readonly history: readonly HistoryPoint[];
  /** The highest first, because each is drawn from zero over those before it. */
  readonly areas: readonly Area[];
  readonly target?: number;
}

/** Draws areas over time in a square of 100 units, which is stretched to the space that the chart has. */
function Chart({ label, history, areas, target = 0 }: ChartProps) {
  const from = history[0]?.time ?? 0;
  const to = history.at(-1)?.time ?? from;
  const { top, levels } = scaleOf([target, ...areas.flatMap(({ values }) => values)]);
  const x = (time: number): number => (100 * (time - from)) / Math.max(to - from, 1);
  const y = (value: number): number => 100 - (100 * value) / top;
  const line = (values: readonly number[]): string =>
    values.map((value, index) => `${x(history[index]?.time ?? to)},${y(value)}`).join(" ");
  return (
    <div class={`chart ${areas.length === 1 ? "single" : ""}`} role="img" aria-label={label}>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none">
        {history.map(({ time, isOutage }, index) => {
          const width = x(history[index + 1]?.time ?? to) - x(time);
          return isOutage && <rect key={time} class="band" x={x(time)} y="0" width={width} height="100" />;
        })}
        {levels.map((level) => (
          <line key={level} x1="0" x2="100" y1={y(level)} y2={y(level)} />
        ))}
        {areas.map(({ state, values }) => (
          <polygon key={state} style={stateStyle(state)} points={`0,100 ${line(values)} 100,100`} />
        ))}
        {target > 0 && <line class="target" x1="0" x2="100" y1={y(target)} y2={y(target)} />}
      </svg>
      {levels.map((level) => (
        <span key={level} class="level" style={{ top: `${y(level)}%` }}>
          {level}
        </span>
      ))}
      {[from, (from + to) / 2, to].map((time, index) => (
        <span key={index} class="time" style={{ left: `${50 * index}%` }}>
          {timeOfDay(time)}
        </span>
      ))}
    </div>
  );
}

export function PoolChart({ history, target }: { history: readonly HistoryPoint[]; target: number }) {
  const values = history.map(({ counts }) => counts.pooled);
  const ready = `${values.at(-1) ?? 0} of ${target} rooms`;
  const label = `Pool over time: ${ready}, outages: ${countOutages(history)}`;
  return <Chart label={label} history={history} areas={[{ state: "pooled", values }]} target={target} />;
}

/** Each area reaches up to the sum of its state and those before it. */
export function StatesChart({ history }: { history: readonly HistoryPoint[] }) {
  const areas = summedCounts(history).toReversed();
  const counts = history.at(-1)?.counts;
  const text = roomStates.map((state) => `${stateTitles[state]} ${counts?.[state] ?? 0}`).join(", ");
  return <Chart label={`Rooms by state over time: ${text}`} history={history} areas={areas} />;
}
