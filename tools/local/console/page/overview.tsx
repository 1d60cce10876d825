/** The overview: rooms by state, then creates, charts, rooms and the timeline. */
import { roomStates, type Snapshot, stateTitles } from "../console-state.ts";
import { summarizeCreates } from "../creates.ts";
import { PoolChart, StatesChart } from "./charts.tsx";
import { age, duration, stateStyle } from "./format.ts";
import { Rooms, Timeline } from "./lists.tsx";
import type { LiveData } from "./live-data.ts";
import { runAction } from "./run-action.ts";

export function Summary({ snapshot: { counts, poolTarget } }: { snapshot: Snapshot }) {
  return (
    <ol class="states" aria-label="Rooms by state">
      {roomStates.map((state) => (
        <li
          key={state}
          class={`state-tile ${state} ${state === "pooled" && counts.pooled === 0 && poolTarget > 0 ? "empty" : ""}`}
          style={stateStyle(state)}
        >
          <span class="count">{counts[state]}</span>
          <span class="state-name">{stateTitles[state]}</span>
        </li>
      ))}
    </ol>
  );
}

function Creates({ entries, time }: { entries: LiveData["entries"]; time: number }) {
  const { count, failed, empty, since, percentiles } = summarizeCreates(entries);
  return (
    <section class="card card-head creates">
      <h2>Creates</h2>
      {since === undefined ? (
        <p class="figure">None yet. “Create a room” takes one from the pool.</p>
      ) : (
        <p class="figure">
          <strong>{count}</strong> in {age(time - since)},{" "}
          <span class={failed > 0 ? "failed" : undefined}>
            <strong>{failed}</strong> failed
          </span>
          {empty > 0 && (
            <span class="failed">
              , <strong>{empty}</strong> found the pool empty
            </span>
          )}
        </p>
      )}
      {percentiles && (
        <p class="figure">
          p50 <strong>{duration(percentiles.p50)}</strong> · p90 <strong>{duration(percentiles.p90)}</strong>{" "}
          · p99 <strong>{duration(percentiles.p99)}</strong>
        </p>
      )}
    </section>
  );
}

export function Details({ data, snapshot }: { data: LiveData; snapshot: Snapshot }) {
  const { poolTarget, counts } = snapshot;
  const level = counts.pooled;
  const isEmpty = level === 0 && poolTarget > 0;
  const isAbove = level > poolTarget;
  return (
    <div class="rest">
      <Creates entries={data.entries} time={snapshot.time} />
      <div class="charts">
        <section class="card">
          <h2>Pool</h2>
          <div>
            <p class={isEmpty ? "figure bad" : "figure"}>
              <strong>{level}</strong>
              {isAbove ? ` rooms ready, MAX_VMR is ${poolTarget}` : ` of ${poolTarget} rooms ready`}
              {data.history.some(({ isOutage }) => isOutage) && " · shaded: outage"}
            </p>
            {isEmpty && (
              <button type="button" onClick={() => void runAction("fill", {})}>
                Fill the pool
              </button>
            )}
          </div>
          <PoolChart history={data.history} target={poolTarget} />
        </section>
        <section class="card">
          <h2>Rooms by state</h2>
          <ul class="legend" aria-label="Colours of the states">
            {roomStates.map((state) => (
              <li key={state} class="badge" style={stateStyle(state)}>
                {stateTitles[state]}
              </li>
            ))}
          </ul>
          <StatesChart history={data.history} />
        </section>
      </div>
      <div class="lists">
        <Rooms rooms={snapshot.rooms} now={snapshot.time} />
        <Timeline entries={data.entries} />
      </div>
    </div>
  );
}
