/** The header: the gateway's URL, the state of every part, and a banner per problem with the action that ends it. */
import { useState } from "preact/hooks";
import type { Snapshot, Surroundings, TimelineEntry } from "../console-state.ts";
import { describeTrouble } from "../creates.ts";
import { runAction } from "./actions.tsx";
import { amount, duration, timeOfDay } from "./format.ts";
import type { LiveData } from "./live-data.ts";

export function Header({ data }: { data: LiveData }) {
  const { snapshot, addresses, isConnected } = data;
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
        {snapshot && isConnected && <PartsHealth snapshot={snapshot} />}
        {snapshot && !isConnected && (
          <Part name="Console" trouble={`connection lost, last update ${timeOfDay(snapshot.time)}`} />
        )}
      </ul>
    </header>
  );
}

function PartsHealth({ snapshot: { gateway, surroundings } }: { snapshot: Snapshot }) {
  const { issuerIsDown, contactCentreFaults } = surroundings;
  const faults = contactCentreFaults > 0 ? `${amount(contactCentreFaults, "fault")} to come` : undefined;
  return (
    <>
      <Part name="Gateway" trouble={gateway.state === "up" ? undefined : gateway.state} />
      <Part name="Storage" trouble={surroundings.storageIsDown ? "down" : undefined} />
      <Part name="Platform" trouble={platformTrouble(surroundings)} />
      <Part name="Token issuer" trouble={issuerIsDown ? "down" : undefined} />
      <Part name="Contact centre" trouble={faults} />
    </>
  );
}

function Part({ name, trouble }: { name: string; trouble: string | undefined }) {
  return (
    <li class={trouble === undefined ? "part good" : "part bad"}>
      <span class="dot" aria-hidden="true" />
      {name} <span class="part-state">{trouble ?? "up"}</span>
    </li>
  );
}

function platformTrouble(parts: Surroundings): string | undefined {
  const { platformDown, platformLatencyMilliseconds: latency, platformFaults, alarms, eventsWaiting } = parts;
  const troubles = [
    platformDown !== null && "down",
    latency > 0 && `slow, ${duration(latency)}`,
    platformFaults.length > 0 && amount(platformFaults.length, "fault"),
    alarms.length > 0 && amount(alarms.length, "alarm"),
    eventsWaiting > 0 && `${amount(eventsWaiting, "event")} waiting`,
  ].filter((trouble) => trouble !== false);
  return troubles.length === 0 ? undefined : troubles.join(", ");
}

interface Trouble {
  readonly text: string;
  /** The action that ends it, with its label. */
  readonly end?: readonly [id: string, label: string];
}

function troublesOf(
  { gateway, givenUp, surroundings, time }: Snapshot,
  entries: readonly TimelineEntry[],
): Trouble[] {
  const { platformDown, platformFaults, platformLatencyMilliseconds: latency, storageIsDown } = surroundings;
  const isExplained = gateway.state !== "up" || storageIsDown || platformDown !== null;
  const createTrouble = describeTrouble(entries, time);
  const why = gateway.reason === undefined ? "" : `: ${gateway.reason}`;
  const candidates: (Trouble | false)[] = [
    gateway.state === "not loaded" && {
      text: `The gateway's app did not load, so every call returns 404${why}`,
    },
    gateway.state === "restarting" && { text: `The gateway's app is restarting${why}` },
    gateway.state === "ended" && { text: `The gateway's app has ended permanently${why}` },
    storageIsDown && {
      text: "The storage does not respond: creates return 503. The figures of the queues are old.",
    },
    createTrouble !== undefined && !isExplained && { text: createTrouble },
    givenUp > 0 && {
      text: `The host has given up ${amount(givenUp, "request")} for a room: npm run ops -- redrive --local.`,
    },
    platformDown !== null && {
      text: "The platform is down: creates return 503.",
      end: ["up", "Bring it up"],
    },
    platformFaults.length > 0 && {
      text: `Calls of the platform fail: ${platformFaults.join("; ")}.`,
      end: ["heal", "Clear all faults"],
    },
    latency > 0 && {
      text: `The platform is slow: each call takes ${duration(latency)}.`,
      end: ["fast", "Make it fast again"],
    },
    surroundings.issuerIsDown && {
      text: "The token issuer is down: it issues no tokens.",
      end: ["issuerUp", "Let it recover"],
    },
    surroundings.contactCentreFaults > 0 && {
      text: "The contact centre fails: agents get 503.",
      end: ["contactCentreHeals", "Let it recover"],
    },
  ];
  return candidates.filter((trouble) => trouble !== false);
}

/** One line per problem, with the button that ends it. */
export function Banners({ data, snapshot }: { data: LiveData; snapshot: Snapshot }) {
  const troubles = troublesOf(snapshot, data.entries);
  return (
    <div class="banners" role="status">
      {data.isConnected ? (
        troubles.map((trouble) => <Banner key={trouble.text} {...trouble} />)
      ) : (
        <Banner
          text={`The console's server does not respond. The page shows the state of ${timeOfDay(snapshot.time)}.`}
        />
      )}
    </div>
  );
}

function Banner({ text, end }: Trouble) {
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
