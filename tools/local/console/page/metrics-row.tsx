/** The last row that the gateway wrote to the log workspace. */
import type { Snapshot } from "../console-state.ts";

export function MetricsRow({ row }: { row: Snapshot["metricsRow"] }) {
  return (
    <section class="card" aria-labelledby="metrics-title">
      <h2 id="metrics-title">Last metrics row</h2>
      {row === null ? (
        <p class="figure">None yet</p>
      ) : (
        <dl class="metrics">
          {Object.entries(row).map(([column, value]) => (
            <div key={column}>
              <dt>{column}</dt>
              <dd>{value === null || value === "" ? "–" : String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
