/** One request: its entries of the timeline, and everything that the app logged with its correlation ID. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LoggedLine, TimelineEntry } from "../console-state.ts";
import { timeOfDay } from "./format.ts";
import { EntryList } from "./timeline.tsx";

/** The same in every line, or shown elsewhere. */
const leftOut = ["event", "correlationId", "invocationId", "causes"];

export function RequestLines({ id, entries }: { id: string; entries: readonly TimelineEntry[] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [lines, setLines] = useState<readonly LoggedLine[]>();
  const own = entries.filter(({ correlationId }) => correlationId === id);
  useEffect(() => heading.current?.focus(), [id]);
  useEffect(() => {
    const read = async (): Promise<LoggedLine[]> => (await fetch(`/lines/${encodeURIComponent(id)}`)).json();
    read().then(setLines, () => setLines([]));
  }, [id, own.length]);
  return (
    <article class="life">
      <p>
        <a href="#/">← Overview</a>
      </p>
      <h2 class="life-title" ref={heading} tabIndex={-1}>
        Request <span class="room-name">{id}</span>
      </h2>
      {lines?.length === 0 && <p class="figure">The app has logged no line with this correlation ID.</p>}
      {own.length > 0 && (
        <section class="card" aria-labelledby="life-title">
          <h3 id="life-title">What happened</h3>
          <EntryList entries={own} />
        </section>
      )}
      {lines !== undefined && lines.length > 0 && (
        <section class="card" aria-labelledby="lines-title">
          <h3 id="lines-title">What the app logged</h3>
          <ol class="entries lines">
            {lines.map(({ time, fields }, index) => (
              <li key={index} class="entry">
                <time dateTime={time}>{timeOfDay(Date.parse(time))}</time> <b>{String(fields["event"])}</b>{" "}
                <code>{detailsOf(fields)}</code>
              </li>
            ))}
          </ol>
        </section>
      )}
    </article>
  );
}

function detailsOf(fields: LoggedLine["fields"]): string {
  return Object.entries(fields)
    .filter(([name]) => !leftOut.includes(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
