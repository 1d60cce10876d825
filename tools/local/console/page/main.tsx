/** The whole page: header, banners, rooms by state, actions, and what happened. */
import { render } from "preact";
import { useState } from "preact/hooks";
import "./console.css";
import { ActionPanel } from "./action-panel.tsx";
import { Banners, Header } from "./header.tsx";
import { useLiveData } from "./live-data.ts";
import { Details, Summary } from "./overview.tsx";

function App() {
  const data = useLiveData();
  const [chosen, setChosen] = useState<string>();
  const [room, setRoom] = useState("");
  if (!data) return <p role="status">Waiting for the gateway …</p>;
  const { rooms, counts } = data.snapshot;

  function choose(value: string | undefined): void {
    setChosen(value);
    if (value !== undefined && rooms.some(({ name }) => name === value)) setRoom(value);
  }

  return (
    <>
      <Header data={data} />
      <Banners data={data} />
      <main class={data.isConnected ? "" : "stale"}>
        <Summary counts={counts} />
        <ActionPanel addresses={data.addresses} rooms={rooms} room={room} onRoom={setRoom} />
        <Details data={data} choice={{ chosen, choose }} />
      </main>
    </>
  );
}

render(<App />, document.body);
