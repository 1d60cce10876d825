/** The overview: states and queues, then charts, rooms and the timeline. */
import { type QueueDepths, roomStates, type Snapshot, stateTitles } from "../console-state.ts";
import { summarizeCreates } from "../creates.ts";
import { runAction } from "./actions.tsx";
import { PoolChart, StatesChart } from "./charts.tsx";
import { age, duration, percentage, stateStyle } from "./format.ts";
import type { LiveData } from "./live-data.ts";
import { RoomsTable } from "./rooms.tsx";
import { Timeline } from "./timeline.tsx";

const queueTitles: readonly (readonly [keyof QueueDepths, string])[] = [
  ["pool", "rooms to hand out"],
  ["provisioning", "requests for rooms"],
  ["deletion", "rooms to delete"],
  ["poison", "requests given up"],
];

export function Summary({ snapshot }: { snapshot: Snapshot }) {
  const { counts, poolTarget, queues } = snapshot;
  return (
    <>
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
      <dl class="queues" aria-label="Messages in the queues">
        {queueTitles.map(([key, content]) => (
          <div key={key} class={key === "poison" && queues.poison > 0 ? "bad" : undefined}>
            <dt>
              <b>{key}</b> {content}
            </dt>
            <dd>{queues[key]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export function Details({ data, snapshot }: { data: LiveData; snapshot: Snapshot }) {
  const { poolLevel, poolTarget } = snapshot;
  const creates = summarizeCreates(data.entries);
  const isEmpty = poolLevel === 0 && poolTarget > 0;
  return (
    <div class="rest">
      <section class="card card-head creates" aria-labelledby="creates-title">
        <h2 id="creates-title">Creates</h2>
        {creates.since === undefined ? (
          <p class="figure">None yet. “Create a room” takes one from the pool.</p>
        ) : (
          <>
            <p class="figure">
              <strong>{creates.count}</strong> in {age(snapshot.time - creates.since)},{" "}
              <span class={creates.failed > 0 ? "failed" : undefined}>
                <strong>{creates.failed}</strong> failed
                {creates.failed > 0 && ` (${percentage(creates.failed / creates.count)})`}
              </span>
              {creates.empty > 0 && (
                <span class="failed">
                  , <strong>{creates.empty}</strong> found the pool empty
                </span>
              )}
            </p>
            <p class="figure">
              p50 <strong>{duration(creates.p50)}</strong> · p90 <strong>{duration(creates.p90)}</strong> ·
              p99 <strong>{duration(creates.p99)}</strong>
            </p>
          </>
        )}
      </section>
      <div class="charts">
        <section class="card" aria-labelledby="pool-title">
          <h2 id="pool-title">Pool</h2>
          <div>
            <p class={isEmpty ? "figure bad" : "figure"}>
              <strong>{poolLevel}</strong>
              {poolLevel > poolTarget
                ? ` rooms ready, MAX_VMR is ${poolTarget}`
                : ` of ${poolTarget} rooms ready`}
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
        <section class="card" aria-labelledby="states-title">
          <h2 id="states-title">Rooms by state</h2>
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
        <RoomsTable rooms={snapshot.rooms} now={snapshot.time} />
        <Timeline entries={data.entries} />
      </div>
    </div>
  );
}
