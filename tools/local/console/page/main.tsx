/** The whole page: parts, rooms by state, actions, rooms, and what happened. */
import { render } from "preact";
import { useState } from "preact/hooks";
import "@picocss/pico/css/pico.classless.css";
import "./console.css";
import { type RoomRow, roomStates, stateTitles } from "../console-state.ts";
import { shownEntries, timeOfDay } from "../view.ts";
import { ActionPanel } from "./action-panel.tsx";
import { Rooms, Timeline } from "./lists.tsx";
import { type LiveData, useLiveData } from "./live-data.ts";

function App() {
  const data = useLiveData();
  const [chosen, choose] = useState<string>();
  if (!data) return <p role="status">Waiting for the gateway …</p>;
  const { addresses, snapshot, entries } = data;
  return (
    <>
      <Header data={data} />
      <main>
        <Summary rooms={snapshot.rooms} />
        <ActionPanel addresses={addresses} room={chosen} onRoom={choose} />
        <Rooms rooms={snapshot.rooms} now={snapshot.time} chosen={chosen} choose={choose} />
        <Timeline entries={shownEntries(entries, chosen)} chosen={chosen} choose={choose} />
      </main>
    </>
  );
}

function Header({ data: { snapshot, addresses, isConnected } }: { data: LiveData }) {
  const lost = { Console: `connection lost, last update ${timeOfDay(snapshot.time)}` };
  return (
    <header>
      <h1>VMR gateway</h1>
      <code>{addresses.gateway}</code>
      <a href="/api/">API reference</a>
      <div role="status">
        <ul aria-label="The gateway and the parts around it">
          {Object.entries(isConnected ? snapshot.parts : lost).map(([name, state]) => (
            <li key={name}>
              {name} {state === "up" ? "up" : <mark>{state}</mark>}
            </li>
          ))}
        </ul>
      </div>
    </header>
  );
}

function Summary({ rooms }: { rooms: readonly RoomRow[] }) {
  return (
    <ol aria-label="Rooms by state">
      {roomStates.map((state) => (
        <li key={state} data-state={state}>
          <b>{rooms.filter((room) => room.state === state).length}</b> {stateTitles[state]}
        </li>
      ))}
    </ol>
  );
}

render(<App />, document.body);
