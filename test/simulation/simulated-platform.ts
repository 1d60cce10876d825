/** The platform in memory as the simulation sees it: its rooms, and what each request changes. */

import { parseMarker } from "../../src/lib/ownership/room.ts";
import type { PlatformHttpResponse, PlatformRequest } from "../../src/lib/platform/transport.ts";
import type { MemoryPlatform } from "../../tools/simulators/platform/memory-platform.ts";

/** A room as the platform shows it. It is not changed when the platform's room is. */
export type ShownRoom = ReturnType<MemoryPlatform["rooms"]>[number];

/** Is told what a request did, after it was carried out. */
export interface PlatformObserver {
  onRead(request: PlatformRequest, body: unknown): void;
  onCreate(room: ShownRoom): void;
  /** Takes the room as it was. */
  onUpdate(room: ShownRoom, change: Readonly<Record<string, unknown>>): void;
  /** Takes the room as it was. */
  onDelete(room: ShownRoom): void;
}

export type SimulatedPlatform = ReturnType<typeof createSimulatedPlatform>;

// So few that lists of a few rooms have several pages.
const maxPageSize = 5;

export function createSimulatedPlatform(platform: MemoryPlatform) {
  platform.setBehaviour({ maxPageSize });
  const { conferences, live } = platform.state;
  const addedWithoutMarker = new Set<string>();
  const find = (name: string) => {
    const row = conferences.findByName(name);
    return row && conferences.show(row);
  };

  /** Carries out one request and tells the observer what it changed. */
  async function carryOut(
    request: PlatformRequest,
    observer: PlatformObserver,
  ): Promise<PlatformHttpResponse> {
    const id = Number(/(\d+)\/$/.exec(request.path)?.[1]);
    const row = [...conferences.all()].find((other) => other.id === id);
    const before = row && conferences.show(row);
    const response = await platform.transport(request, "");
    if (response.status >= 300) return response;
    if (request.method === "GET") observer.onRead(request, response.body);
    const after = find(before?.name ?? String(request.body?.["name"]));
    if (request.method === "POST" && after) observer.onCreate(after);
    if (request.method === "PATCH" && before) observer.onUpdate(before, request.body ?? {});
    if (request.method === "DELETE" && before) observer.onDelete(before);
    return response;
  }

  return {
    rooms: platform.rooms,
    find,
    /** Adds a room of an operator or of another service. */
    add(fields: Record<string, unknown>): void {
      platform.seedRooms({ rows: [fields] });
      if (!parseMarker(String(fields["description"]))) addedWithoutMarker.add(String(fields["name"]));
    },
    addedWithoutMarker,
    remove: ({ id }: ShownRoom) => conferences.remove(String(id)),
    startConference: (name: string) => void platform.startConference({ name }),
    /** Returns false if the conference is not live. */
    endConference: (name: string) => live.end(name),
    /** The start of each live conference, in clock milliseconds, by name. */
    liveSince: (): ReadonlyMap<string, number> =>
      new Map(live.all().map(({ name, startedAt }) => [name, startedAt])),
    carryOut,
  };
}
