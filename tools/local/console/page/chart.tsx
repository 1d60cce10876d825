/** Draws one uPlot chart that follows its container's width and the colour scheme. */
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

export interface ChartProps {
  /** What the chart shows at this moment, for those who do not see it. */
  readonly label: string;
  readonly data: uPlot.AlignedData;
  /** The chart's lines or bars and axes, drawn in the colours of the style sheet. */
  readonly options: (color: (name: string) => string) => Omit<uPlot.Options, "width" | "height">;
}

const height = 168;

export function Chart({ label, data, options }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const scheme = useColorScheme();

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

function useColorScheme(): boolean {
  const [isDark, setIsDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const update = (): void => setIsDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return isDark;
}
