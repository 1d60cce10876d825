/** The gateway's rooms on a simulated platform, as provisioning creates them. */
import type { ConferenceRow } from "../../src/lib/platform/conferences.ts";
import { toNewConference } from "../../src/lib/pool/new-room.ts";
import type { PlatformSimulator } from "../../tools/simulators/platform/platform-simulator.ts";
import { formatMarker, gatewayName } from "./markers.ts";

type Fields = Readonly<Record<string, unknown>>;

export const hostPin = "482913";
export const guestPin = "771204";

/** Returns what adds rooms to the platform, not to the pool, and what finds them regardless of faults. */
export function platformRooms(platform: Pick<PlatformSimulator, "rooms" | "seedRooms">, now: () => number) {
  const since = () => new Date(now()).toISOString();
  /** Returns the room's id. */
  function addRoom(name: string, fields: Fields = {}): number {
    const room = toNewConference({ name, hostPin, guestPin, template: {}, since: since(), gatewayName });
    return platform.seedRooms({ rows: [{ ...room, ...fields }] })[0] ?? 0;
  }
  return {
    addRoom,
    /** Adds a room that a caller has been handed. */
    addAssigned: (name: string, fields: Fields = {}): number => {
      const description = formatMarker({ state: "assigned", since: since(), messageId: "claim-1" });
      return addRoom(name, { description, ...fields });
    },
    room: (name: string) =>
      platform.rooms().find((room): room is ConferenceRow & typeof room => room.name === name),
  };
}
