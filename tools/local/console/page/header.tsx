/** The header: the gateway's URL, the state of every part, and a banner per problem with the action that ends it. */
import type { Snapshot } from "../console-state.ts";
import { timeOfDay } from "./format.ts";
import type { LiveData } from "./live-data.ts";
import { runAction } from "./run-action.ts";

export function Header({ data: { snapshot, addresses, isConnected } }: { data: LiveData }) {
  const lost = snapshot && { Console: `connection lost, last update ${timeOfDay(snapshot.time)}` };
  const shown = (isConnected ? snapshot?.parts : lost) ?? {};
  return (
    <header class="top">
      <h1>
        <img src="/icon.svg" alt="" width="28" height="28" />
        VMR gateway
      </h1>
      {addresses && <code class="address">{addresses.gateway}</code>}
      <a class="top-link" href="/api/">
        API reference
      </a>
      <ul class="health" aria-label="The gateway and the parts around it">
        {Object.entries(shown).map(([name, state]) => (
          <li key={name} class={state === "up" ? "part good" : "part bad"}>
            <span class="dot" aria-hidden="true" />
            {name} <span class="part-state">{state}</span>
          </li>
        ))}
      </ul>
    </header>
  );
}

/** One line per problem, with the button that ends it. */
export function Banners({ data, snapshot: { time, banners } }: { data: LiveData; snapshot: Snapshot }) {
  const gone = `The console's server does not respond. The page shows the state of ${timeOfDay(time)}.`;
  return (
    <div class="banners" role="status">
      {(data.isConnected ? banners : [{ text: gone }]).map((banner) => (
        <Banner key={banner.text} {...banner} />
      ))}
    </div>
  );
}

function Banner({ text, actionId, label }: Snapshot["banners"][number]) {
  return (
    <p class="banner bad">
      <span>{text}</span>
      {actionId && (
        <button type="button" onClick={() => void runAction(actionId, {})}>
          {label}
        </button>
      )}
    </p>
  );
}
