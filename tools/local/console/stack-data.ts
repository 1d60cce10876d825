/** Reads what the simulators know. PINs and tags stay here: only whether there is a tag is passed on. */
import { parseMarker } from "../../../src/lib/pool/room.ts";
import type { DevelopmentStack } from "../stack/development-stack.ts";
import type { Surroundings } from "./console-state.ts";

export type PlatformRoom = ReturnType<typeof readStackData>["rooms"][number];
export type Conference = ReturnType<typeof readStackData>["conferences"][number];

/** Returns what the simulators know at this moment. */
export function readStackData({ platform, issuer, contactCentre, logWorkspace }: DevelopmentStack) {
  const { faults, latencyMilliseconds, alarms, conferences } = platform.switches();
  const surroundings: Surroundings = {
    platformDown: platform.downMode() ?? null,
    platformFaults: faults.length,
    platformLatencyMilliseconds: latencyMilliseconds,
    alarms: alarms.map(({ name }) => name),
    eventsWaiting: platform.sinkState().queued,
    issuerIsDown: issuer.isDown(),
    contactCentreFaults: contactCentre.faultCount(),
  };
  const row = logWorkspace.rows().at(-1)?.row;
  return {
    rooms: platform.rooms().map(({ name, tag, description }) => ({
      name,
      hasTag: tag !== "",
      marker: parseMarker(description),
    })),
    conferences,
    surroundings,
    metricsRow: row
      ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)]))
      : null,
  };
}

function textOf(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
