/** The whole page: header, banners, actions, and either the overview or the life of one room. */
import "./safe-start.ts";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import "uplot/dist/uPlot.min.css";
import "./console.css";
import { ActionPanel } from "./actions.tsx";
import { roomAddress, useMedia, usePlace } from "./format.ts";
import { Banners, Header } from "./header.tsx";
import { useLiveData } from "./live-data.ts";
import { Details, Summary } from "./overview.tsx";
import { RequestLines } from "./request-lines.tsx";
import { RoomLife } from "./room-life.tsx";

function App() {
  const data = useLiveData();
  const place = usePlace();
  const shownRoom = place?.kind === "room" ? place.name : undefined;
  // The order of the keyboard is that of the page, where the actions are on the right or above the lists.
  const isNarrow = useMedia("(max-width: 1080px)");
  const [lastCreated, setLastCreated] = useState<string>();
  const { snapshot, addresses, isConnected } = data;
  const isStale = snapshot !== undefined && !isConnected;
  const isBad = isStale || snapshot?.isOutage === true;
  useEffect(() => {
    document.title = `${isBad ? "! " : ""}VMR gateway console`;
  }, [isBad]);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header data={data} />
      <main id="content" class={isStale ? "layout stale" : "layout"} tabIndex={-1}>
        {!snapshot && (
          <p class="waiting" role="status">
            Waiting for the gateway …
          </p>
        )}
        {snapshot && (
          <div class="summary">
            <Banners data={data} snapshot={snapshot} />
            {place === undefined && <Summary snapshot={snapshot} />}
            {place?.kind === "request" && <RequestLines id={place.name} entries={data.entries} />}
            {shownRoom !== undefined && (
              <RoomLife
                name={shownRoom}
                snapshot={snapshot}
                entries={data.entries}
                deletedAfterSeconds={data.deletedAfterSeconds}
              />
            )}
          </div>
        )}
        {snapshot && place === undefined && !isNarrow && <Details data={data} snapshot={snapshot} />}
        {snapshot && addresses && (
          <ActionPanel
            key="actions"
            addresses={addresses}
            rooms={snapshot.rooms}
            room={shownRoom ?? lastCreated}
            onCreated={(name) => {
              setLastCreated(name);
              if (shownRoom !== undefined) location.hash = roomAddress(name);
            }}
          />
        )}
        {snapshot && place === undefined && isNarrow && <Details data={data} snapshot={snapshot} />}
      </main>
    </>
  );
}

render(<App />, document.body);
