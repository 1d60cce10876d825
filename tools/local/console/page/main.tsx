/** The whole page: header, banners, actions, and either the overview or the life of one room. */
import "./safe-start.ts";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import "uplot/dist/uPlot.min.css";
import "./console.css";
import { ActionPanel } from "./actions.tsx";
import { roomAddress, useShownRoom } from "./format.ts";
import { Banners, Header } from "./header.tsx";
import { useLiveData } from "./live-data.ts";
import { Details, Summary } from "./overview.tsx";
import { RoomLife } from "./room-life.tsx";

const icons = { good: "/icon.svg", bad: "/icon-bad.svg" };

function App() {
  const data = useLiveData();
  const shownRoom = useShownRoom();
  const [lastCreated, setLastCreated] = useState<string>();
  const { snapshot, addresses, isConnected } = data;
  const isStale = snapshot !== undefined && !isConnected;
  const isBad = isStale || snapshot?.isOutage === true;
  useEffect(() => {
    document.title = `${isBad ? "! " : ""}VMR gateway console`;
    document.querySelector("link[rel=icon]")?.setAttribute("href", isBad ? icons.bad : icons.good);
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
            {shownRoom === undefined ? (
              <Summary snapshot={snapshot} />
            ) : (
              <RoomLife
                name={shownRoom}
                snapshot={snapshot}
                entries={data.entries}
                deletedAfterSeconds={data.deletedAfterSeconds}
              />
            )}
          </div>
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
        {snapshot && shownRoom === undefined && <Details data={data} snapshot={snapshot} />}
      </main>
    </>
  );
}

render(<App />, document.body);
