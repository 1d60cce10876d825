/** The header: where the gateway is, and how the parts around it are. */
import type { Surroundings } from "../console-state.ts";
import { amount, duration } from "./format.ts";
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
      <a href="/api/">API reference</a>
      <ul class="health" aria-label="Parts around the gateway">
        {snapshot && isConnected && <PartsHealth surroundings={snapshot.surroundings} />}
        {snapshot && !isConnected && <Part name="Console" trouble="connection lost" />}
      </ul>
    </header>
  );
}

function PartsHealth({ surroundings }: { surroundings: Surroundings }) {
  return (
    <>
      <Part name="Platform" trouble={platformTrouble(surroundings)} />
      <Part name="Token issuer" trouble={surroundings.issuerIsDown ? "down" : undefined} />
      <Part
        name="Contact centre"
        trouble={
          surroundings.contactCentreFaults > 0
            ? `${amount(surroundings.contactCentreFaults, "fault")} to come`
            : undefined
        }
      />
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
  const troubles = [
    ...(parts.platformDown === null ? [] : ["down"]),
    ...(parts.platformLatencyMilliseconds === 0
      ? []
      : [`slow, ${duration(parts.platformLatencyMilliseconds)}`]),
    ...(parts.platformFaults === 0 ? [] : [amount(parts.platformFaults, "fault")]),
    ...(parts.alarms.length === 0 ? [] : [amount(parts.alarms.length, "alarm")]),
    ...(parts.eventsWaiting === 0 ? [] : [`${amount(parts.eventsWaiting, "event")} waiting`]),
  ];
  return troubles.length === 0 ? undefined : troubles.join(", ");
}
