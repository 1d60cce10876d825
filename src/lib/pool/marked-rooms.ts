/** The rooms with the gateway's marker among the platform's conferences. */
import type { ConferenceRow } from "../platform/conference-row.ts";
import { type Marker, parseMarker } from "./marker.ts";
import { isRoom } from "./ownership.ts";

/** A room of the gateway, as its marker describes it. */
export interface MarkedRoom {
  readonly name: string;
  readonly marker: Marker;
}

/** Returns the rooms that have the marker. */
export function markedRooms(rows: readonly ConferenceRow[]): MarkedRoom[] {
  return rows.filter(isRoom).flatMap(({ name, description }) => {
    const marker = parseMarker(description);
    return marker ? [{ name, marker }] : [];
  });
}
