/** Draws a chart as SVG: lines, points with intervals, and limits. Light or dark follows the reader's setting. */
import { scaleLinear, scaleLog } from "d3-scale";

interface Axis {
  readonly label: string;
  readonly domain: readonly [number, number];
  readonly isLog?: boolean;
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** The ends of an interval around `y`. */
  readonly low?: number;
  readonly high?: number;
}

/** The number selects one of the colours. */
type Colour = 0 | 1 | 2 | 3;

interface Line {
  readonly colour: Colour;
  readonly points: readonly Point[];
  /** Written beside the line's last point. */
  readonly label: string;
  /** Moves the label down, in pixels. */
  readonly labelDown?: number;
}

interface Dots {
  readonly colour: Colour;
  readonly points: readonly Point[];
}

interface Limit {
  readonly y: number;
  readonly label: string;
}

export interface Chart {
  readonly title: string;
  /** For readers who do not see the picture. */
  readonly description: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
  readonly dots: readonly Dots[];
  readonly limits?: readonly Limit[];
  /** What the dots are. */
  readonly note: string;
}

const width = 760;
const height = 420;
const plot = { left: 100, right: 640, top: 64, bottom: 356 };

// Each colour has a contrast of at least 4.5 to its background.
const style = `
  svg { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
  .background { fill: #ffffff; } text { fill: #1f2328; } .title { font-size: 16px; font-weight: 600; }
  .faint { fill: #59636e; } .grid { stroke: #d1d9e0; stroke-width: 1; } .axis { stroke: #59636e; stroke-width: 1; }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; } .interval { stroke-width: 1.5; }
  .limit { stroke: #c4341f; stroke-width: 1.5; stroke-dasharray: 6 4; } .limit-label { fill: #c4341f; }
  .stroke-0 { stroke: #0b62c4; } .stroke-1 { stroke: #8250b8; } .stroke-2 { stroke: #0f7a4f; } .stroke-3 { stroke: #a5510a; }
  .fill-0 { fill: #0b62c4; } .fill-1 { fill: #8250b8; } .fill-2 { fill: #0f7a4f; } .fill-3 { fill: #a5510a; }
  circle { stroke: #ffffff; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    .background { fill: #0d1117; } text { fill: #e6edf3; } .faint { fill: #9198a1; }
    .grid { stroke: #2a313a; } .axis { stroke: #9198a1; } circle { stroke: #0d1117; }
    .limit { stroke: #ff7b6b; } .limit-label { fill: #ff7b6b; }
    .stroke-0 { stroke: #5aa9ff; } .stroke-1 { stroke: #c297ff; } .stroke-2 { stroke: #3fc78a; } .stroke-3 { stroke: #f0a35e; }
    .fill-0 { fill: #5aa9ff; } .fill-1 { fill: #c297ff; } .fill-2 { fill: #3fc78a; } .fill-3 { fill: #f0a35e; }
  }`;

/** Returns the SVG of a chart. The same chart always gives the same text. */
export function drawChart(chart: Chart): string {
  const x = scaleOf(chart.x, [plot.left, plot.right]);
  const y = scaleOf(chart.y, [plot.bottom, plot.top]);
  const middle = (plot.left + plot.right) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeText(chart.title)}</title>`,
    `<desc id="desc">${escapeText(chart.description)}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="background" width="${width}" height="${height}"/>`,
    text("title", 20, 28, chart.title),
    text("faint", 20, 48, `${chart.y.label}. ${chart.note}`),
    ...chart.y.ticks.flatMap((tick) => [
      line("grid", plot.left, y(tick), plot.right, y(tick)),
      text("faint", plot.left - 8, y(tick) + 4, chart.y.format(tick), "end"),
    ]),
    line("axis", plot.left, plot.bottom, plot.right, plot.bottom),
    ...chart.x.ticks.flatMap((tick) => [
      line("axis", x(tick), plot.bottom, x(tick), plot.bottom + 5),
      text("faint", x(tick), plot.bottom + 21, chart.x.format(tick), "middle"),
    ]),
    text("", middle, plot.bottom + 46, chart.x.label, "middle"),
    ...(chart.limits ?? []).flatMap((limit) => [
      line("limit", plot.left, y(limit.y), plot.right, y(limit.y)),
      text("limit-label", plot.left + 8, y(limit.y) - 7, limit.label),
    ]),
    ...chart.lines.flatMap(({ colour, points, label, labelDown = 0 }) => {
      const last = points.at(-1) ?? { x: 0, y: 0 };
      return [
        `<path class="line stroke-${colour}" d="${pathOf(points.map((point) => [x(point.x), y(point.y)]))}"/>`,
        text(`fill-${colour}`, x(last.x) + 8, y(last.y) + 4 + labelDown, label),
      ];
    }),
    ...chart.dots.flatMap(({ colour, points }) =>
      points.flatMap((point) => [
        ...(point.low === undefined || point.high === undefined
          ? []
          : [line(`interval stroke-${colour}`, x(point.x), y(point.low), x(point.x), y(point.high))]),
        `<circle class="fill-${colour}" cx="${round(x(point.x))}" cy="${round(y(point.y))}" r="4.5"/>`,
      ]),
    ),
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the scale of an axis. Values outside of its domain are drawn at its end. */
function scaleOf({ domain, isLog = false }: Axis, range: [number, number]): (value: number) => number {
  return (isLog ? scaleLog() : scaleLinear()).domain(domain).range(range).clamp(true);
}

function pathOf(points: readonly (readonly [number, number])[]): string {
  return points
    .map(([left, down], index) => `${index === 0 ? "M" : "L"}${round(left)} ${round(down)}`)
    .join("");
}

function line(name: string, fromX: number, fromY: number, toX: number, toY: number): string {
  return `<line class="${name}" x1="${round(fromX)}" y1="${round(fromY)}" x2="${round(toX)}" y2="${round(toY)}"/>`;
}

function text(name: string, left: number, down: number, content: string, anchor = "start"): string {
  const place = `x="${round(left)}" y="${round(down)}" text-anchor="${anchor}"`;
  return `<text class="${name}" ${place}>${escapeText(content)}</text>`;
}

function escapeText(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
