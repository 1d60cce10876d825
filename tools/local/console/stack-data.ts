/** Reads what the simulators know. PINs and tags stay here: only whether there is a tag is passed on. */
import { parseMarker } from "../../../src/lib/ownership/room.ts";
import { isTakenOut } from "../../log/taken-out.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { Fault } from "../../simulators/faults.ts";
import type { Surroundings } from "./console-state.ts";

export type PlatformRoom = ReturnType<typeof readStackData>["rooms"][number];
export type Conference = ReturnType<typeof readStackData>["conferences"][number];

/** Returns what the simulators know at this moment. */
export function readStackData({ platform, issuer, contactCentre }: DevelopmentStack) {
  const { faults, latencyMilliseconds, alarms, conferences } = platform.switches();
  const surroundings: Omit<Surroundings, "storageIsDown"> = {
    platformDown: platform.downMode() ?? null,
    platformFaults: faults.map(describeFault),
    platformLatencyMilliseconds: latencyMilliseconds,
    alarms: alarms.map(({ name }) => name),
    eventsWaiting: platform.sinkState().queued,
    issuerIsDown: issuer.isDown(),
    contactCentreFaults: contactCentre.faultCount(),
  };
  return {
    rooms: platform.rooms().map((row) => ({
      name: row.name,
      hasTag: row.tag !== "",
      marker: parseMarker(row.description),
      isTakenOut: isTakenOut(row),
    })),
    conferences,
    surroundings,
  };
}

/** Returns for example `PATCH with status 403 (3 more)`. */
function describeFault({ method, pathPattern, kind, status, when, count }: Fault): string {
  const path = pathPattern === undefined ? "" : ` ${pathPattern}`;
  const result = {
    status: `status ${status}`,
    html500: "status 500",
    reset: "a reset",
    timeout: "a timeout",
  };
  const isExecuted = when === "after" ? ", although they take effect" : "";
  const left = count === undefined ? "" : ` (${count} more)`;
  return `${method ?? "all calls"}${path} with ${result[kind]}${isExecuted}${left}`;
}
