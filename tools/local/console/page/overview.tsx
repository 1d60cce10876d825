/** Rooms by state, and below creates, charts, rooms and the timeline. */
import { roomStates, type Snapshot, stateTitles } from "../console-state.ts";
import { summarizeCreates } from "../creates.ts";
import { markedRooms, shownEntries } from "../view.ts";
import { PoolChart, StatesChart } from "./charts.tsx";
import { stateStyle } from "./format.ts";
import { type Choice, Rooms, Timeline } from "./lists.tsx";
import type { LiveData } from "./live-data.ts";

export function Summary({ counts }: Pick<Snapshot, "counts">) {
  return (
    <ol class="states" aria-label="Rooms by state">
      {roomStates.map((state) => (
        <li key={state} style={stateStyle(state)}>
          <b>{counts[state]}</b>
          <span class="muted">{stateTitles[state]}</span>
        </li>
      ))}
    </ol>
  );
}

function Creates({ entries }: Pick<LiveData, "entries">) {
  const { count, failed, empty } = summarizeCreates(entries);
  return (
    <section class="card creates">
      <h2>Creates</h2>
      <p class="muted">
        <b>{count}</b> in all, <b class={failed > 0 ? "bad" : ""}>{failed}</b> failed,{" "}
        <b class={empty > 0 ? "bad" : ""}>{empty}</b> found the pool empty
      </p>
    </section>
  );
}

export function Details({ data, choice }: { data: LiveData; choice: Choice }) {
  const { history, entries } = data;
  const { counts, poolLevel, rooms, time } = data.snapshot;
  const { chosen } = choice;
  return (
    <div class="details">
      <Creates entries={entries} />
      <div class="charts">
        <section class="card">
          <h2>Pool</h2>
          <p class="muted">
            <b>{counts.pooled}</b> of {poolLevel} rooms ready
            {history.some(({ isOutage }) => isOutage) && " · shaded: outage"}
          </p>
          <PoolChart history={history} target={poolLevel} />
        </section>
        <section class="card">
          <h2>Rooms by state</h2>
          <ul class="legend muted" aria-label="Colours of the states">
            {roomStates.map((state) => (
              <li key={state} class="badge" style={stateStyle(state)}>
                {stateTitles[state]}
              </li>
            ))}
          </ul>
          <StatesChart history={history} />
        </section>
      </div>
      <div class="lists">
        <Rooms rooms={rooms} now={time} marked={markedRooms(entries, chosen)} choice={choice} />
        <Timeline entries={shownEntries(entries, chosen)} choice={choice} />
      </div>
    </div>
  );
}
