/** The header: the gateway's URL, the state of every part, and a banner per problem with the action that ends it. */
import { useState } from "preact/hooks";
import { parts, type Snapshot, type Trouble } from "../console-state.ts";
import { timeOfDay } from "./format.ts";
import type { LiveData } from "./live-data.ts";
import { runAction } from "./run-action.ts";

export function Header({ data: { snapshot, addresses, isConnected } }: { data: LiveData }) {
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
        {snapshot && isConnected && parts.map((part) => <Part key={part} name={part} {...snapshot} />)}
        {snapshot && !isConnected && (
          <Part
            name="Console"
            troubles={[
              { part: "Console", short: `connection lost, last update ${timeOfDay(snapshot.time)}` },
            ]}
          />
        )}
      </ul>
    </header>
  );
}

function Part({ name, troubles }: { name: Trouble["part"]; troubles: readonly Trouble[] }) {
  const shown = troubles.flatMap(({ part, short }) => (part === name && short ? [short] : [])).join(", ");
  return (
    <li class={shown === "" ? "part good" : "part bad"}>
      <span class="dot" aria-hidden="true" />
      {name} <span class="part-state">{shown || "up"}</span>
    </li>
  );
}

/** One line per problem, with the button that ends it. */
export function Banners({ data, snapshot: { time, troubles } }: { data: LiveData; snapshot: Snapshot }) {
  const gone = `The console's server does not respond. The page shows the state of ${timeOfDay(time)}.`;
  return (
    <div class="banners" role="status">
      {data.isConnected ? (
        troubles.map(({ text, end }) => text && <Banner key={text} text={text} end={end} />)
      ) : (
        <Banner text={gone} />
      )}
    </div>
  );
}

function Banner({ text, end }: { text: string; end?: Trouble["end"] }) {
  const [isRunning, setIsRunning] = useState(false);
  const click = async (id: string): Promise<void> => {
    setIsRunning(true);
    await runAction(id, {});
    setIsRunning(false);
  };
  return (
    <p class="banner bad">
      <span>{text}</span>
      {end && (
        <button type="button" disabled={isRunning} onClick={() => void click(end[0])}>
          {end[1]}
        </button>
      )}
    </p>
  );
}
