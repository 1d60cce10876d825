/** The whole page: header, banners, actions, and either the overview or the life of one room. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import "./console.css";
import { ActionPanel } from "./actions.tsx";
import { roomAddress, usePlace } from "./format.ts";
import { Banners, Header } from "./header.tsx";
import { RequestLife, RoomLife } from "./life.tsx";
import { useLiveData } from "./live-data.ts";
import { Details, Summary } from "./overview.tsx";

function App() {
  const data = useLiveData();
  const place = usePlace();
  const shownRoom = place?.kind === "room" ? place.name : undefined;
  const [lastCreated, setLastCreated] = useState<string>();
  const { snapshot, addresses, isConnected } = data;
  const isStale = snapshot !== undefined && !isConnected;
  const isBad = isStale || snapshot?.isOutage === true;
  useEffect(() => {
    document.title = `${isBad ? "! " : ""}VMR gateway console`;
  }, [isBad]);
  return (
    <>
      <a class="skip" href="#actions" onClick={skipToActions}>
        Skip to “Try it”
      </a>
      <Header data={data} />
      <main class={isStale ? "layout stale" : "layout"}>
        {snapshot ? (
          <div class="summary">
            <Banners data={data} snapshot={snapshot} />
            {place === undefined && <Summary snapshot={snapshot} />}
            {place?.kind === "request" && <RequestLife id={place.name} entries={data.entries} />}
            {shownRoom !== undefined && <RoomLife name={shownRoom} snapshot={snapshot} data={data} />}
          </div>
        ) : (
          <p class="waiting" role="status">
            Waiting for the gateway …
          </p>
        )}
        {snapshot && addresses && (
          <ActionPanel
            addresses={addresses}
            rooms={snapshot.rooms}
            room={shownRoom ?? lastCreated}
            onCreated={(name) => {
              setLastCreated(name);
              if (shownRoom !== undefined) location.hash = roomAddress(name);
            }}
          />
        )}
        {snapshot && place === undefined && <Details data={data} snapshot={snapshot} />}
      </main>
    </>
  );
}

/** The address says what is shown, so the link must not change it. */
function skipToActions(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#actions")?.focus();
}

render(<App />, document.body);
