/** The whole page: header, what one can do, and either the overview or one room's life. */
import { useState } from "preact/hooks";
import { ActionPanel } from "./action-panel.tsx";
import { Header } from "./header.tsx";
import { useLiveData } from "./live-data.ts";
import { Overview } from "./overview.tsx";
import { RoomLife } from "./room-life.tsx";
import { roomAddress, useShownRoom } from "./route.ts";

export function App() {
  const data = useLiveData();
  const shownRoom = useShownRoom();
  const [lastCreated, setLastCreated] = useState<string>();
  const { snapshot, addresses } = data;
  const room = shownRoom ?? lastCreated;
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header data={data} />
      <div class="layout">
        <main id="content" tabIndex={-1}>
          {!snapshot && (
            <p class="waiting" role="status">
              Waiting for the gateway …
            </p>
          )}
          {snapshot && shownRoom === undefined && <Overview data={data} snapshot={snapshot} />}
          {snapshot && shownRoom !== undefined && (
            <RoomLife name={shownRoom} snapshot={snapshot} entries={data.entries} />
          )}
        </main>
        {snapshot && addresses && (
          <ActionPanel
            addresses={addresses}
            rooms={snapshot.rooms}
            room={room}
            onCreated={(name) => {
              setLastCreated(name);
              if (shownRoom !== undefined) location.hash = roomAddress(name);
            }}
          />
        )}
      </div>
    </>
  );
}
