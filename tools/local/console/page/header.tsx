/** The header: the gateway's URL and the state of every part; below, a banner per problem with the action that ends it. */
import { actions } from "../actions.ts";
import type { Banner } from "../console-state.ts";
import { timeOfDay } from "./format.ts";
import type { LiveData } from "./live-data.ts";
import { runAction } from "./run-action.ts";

export function Header({ data: { snapshot, addresses, isConnected } }: { data: LiveData }) {
  const lost = { Console: `connection lost, last update ${timeOfDay(snapshot.time)}` };
  return (
    <header>
      <h1>
        <img src="/icon.svg" alt="" width="28" height="28" />
        VMR gateway
      </h1>
      <code>{addresses.gateway}</code>
      <a href="/api/">API reference</a>
      <ul class="parts" aria-label="The gateway and the parts around it">
        {Object.entries(isConnected ? snapshot.parts : lost).map(([name, state]) => (
          <li key={name} class={state === "up" ? "good" : "bad"}>
            {name} <b>{state}</b>
          </li>
        ))}
      </ul>
    </header>
  );
}

export function Banners({ data: { snapshot, isConnected } }: { data: LiveData }) {
  const { time, banners } = snapshot;
  const gone = `The console's server does not respond. The page shows the state of ${timeOfDay(time)}.`;
  const shown: readonly Banner[] = isConnected ? banners : [{ text: gone }];
  return (
    <div class="banners bad" role="status">
      {shown.map(({ text, cure }) => {
        const action = actions.find(({ id }) => id === cure);
        return (
          <p key={text}>
            {text} {action && <button onClick={() => void runAction(action, {})}>{action.label}</button>}
          </p>
        );
      })}
    </div>
  );
}
