/** The overview: states, charts, rooms, queues and timeline. */
import { roomStates, type Snapshot, stateTitles } from "../console-state.ts";
import { CreateHistogram, PoolChart, StatesChart } from "./charts.tsx";
import { duration, stateStyle } from "./format.ts";
import type { LiveData } from "./live-data.ts";
import { MetricsRow } from "./metrics-row.tsx";
import { Queues } from "./queues.tsx";
import { RoomsTable } from "./rooms-table.tsx";
import { Timeline } from "./timeline-view.tsx";

export function Overview({ data, snapshot }: { data: LiveData; snapshot: Snapshot }) {
  const { createLatency: latency } = snapshot;
  return (
    <>
      <ol class="states" aria-label="Rooms by state">
        {roomStates.map((state) => (
          <li key={state} class={`state-tile ${state}`} style={stateStyle(state)}>
            <span class="count">{snapshot.counts[state]}</span>
            <span class="state-name">{stateTitles[state]}</span>
          </li>
        ))}
      </ol>
      <div class="charts">
        <section class="card" aria-labelledby="pool-title">
          <h2 id="pool-title">Pool</h2>
          <p class="figure">
            <strong>{snapshot.poolLevel}</strong> of {snapshot.poolTarget} rooms ready
          </p>
          <PoolChart history={data.history} target={snapshot.poolTarget} />
        </section>
        <section class="card" aria-labelledby="states-title">
          <h2 id="states-title">Rooms by state</h2>
          <p class="figure">
            <strong>{snapshot.rooms.length}</strong> rooms on the platform
          </p>
          <StatesChart history={data.history} />
        </section>
        <section class="card" aria-labelledby="latency-title">
          <h2 id="latency-title">Creates</h2>
          {latency.count === 0 ? (
            <p class="figure">None yet</p>
          ) : (
            <p class="figure">
              p50 <strong>{duration(latency.p50)}</strong> p90 <strong>{duration(latency.p90)}</strong> p99{" "}
              <strong>{duration(latency.p99)}</strong>
            </p>
          )}
          <CreateHistogram latency={latency} />
        </section>
      </div>
      <div class="lists">
        <RoomsTable rooms={snapshot.rooms} now={snapshot.time} />
        <Timeline entries={data.entries} />
      </div>
      <div class="details">
        <Queues queues={snapshot.queues} />
        <MetricsRow row={snapshot.metricsRow} />
      </div>
    </>
  );
}
