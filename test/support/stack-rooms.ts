/** The gateway's rooms on a development stack's platform, as provisioning creates them. */

import { toNewConference } from "../../src/lib/pool/new-room.ts";
import type { Queues } from "../../src/lib/ports.ts";
import type { DevelopmentStack } from "../../tools/simulators/development-stack.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { formatMarker, gatewayName } from "./markers.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The guest PIN of rooms that are added. */
const guestPin = "135790";

/** Returns what adds rooms and finds them. */
export function stackRooms({ platform }: DevelopmentStack, queues: Queues) {
  function addRoom(name: string, fields: Fields = {}): string {
    const since = new Date().toISOString();
    const room = toNewConference({
      name,
      hostPin: identities.hostPin,
      guestPin,
      template: {},
      since,
      gatewayName,
    });
    platform.seedRooms({ rows: [{ ...room, ...fields }] });
    return name;
  }
  return {
    /** Adds a room to the platform and returns its name. */
    addRoom,
    /** Adds a room that a caller has been handed, and returns its name. */
    assignedRoom: (name: string): string => {
      const since = new Date().toISOString();
      const description = formatMarker({ state: "assigned", since, messageId: `claim-of-${name}` });
      return addRoom(name, { description });
    },
    /** Adds a room to the platform and its name to the pool. */
    poolRoom: async (name: string, fields?: Fields): Promise<string> => {
      await queues.pool.put(addRoom(name, fields));
      return name;
    },
    room: (name: string): Fields | undefined => platform.rooms().find((room) => room.name === name),
  };
}
