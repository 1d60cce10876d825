/** Converts platform conferences to the shapes of the responses. */
import type * as z from "zod";
import { type ConferenceRow, manyRelations, singleRelations, toObjects } from "../platform/conferences.ts";
import { isRoom, withoutMarker } from "../pool/room.ts";
import { toCreatedRoom } from "./create.ts";
import type { ConstrainedConference, PublicConstrainedConference } from "./schemas.ts";

/** How a room is returned. */
export interface ShapeOptions {
  /** Whether only the fields needed to join the room are returned. */
  readonly constrained: boolean;
  /** False for public responses, which never contain the host PIN. */
  readonly showHostPin: boolean;
}

/** Returns a conference in the constrained or the full shape. */
export function toReadRoom(row: ConferenceRow, { constrained, showHostPin }: ShapeOptions): object {
  return constrained ? toConstrained(row, showHostPin) : toFull(row, showHostPin);
}

/** In the constrained shape, services that are not rooms, such as test calls, have an empty PIN and tag. */
function toConstrained(
  row: ConferenceRow,
  showHostPin: boolean,
): z.output<typeof ConstrainedConference> | z.output<typeof PublicConstrainedConference> {
  const shown = isRoom(row);
  return {
    ...toCreatedRoom(row),
    tag: shown ? (row.tag ?? "") : "",
    ...(showHostPin && { pin: shown ? textOf(row["pin"]) : "" }),
    aliases: [...(row.aliases ?? [])],
  };
}

/** The full shape has every field of the platform except the marker, with relations as arrays of objects. */
function toFull(row: ConferenceRow, showHostPin: boolean): object {
  const relations = [...Object.keys(singleRelations), ...Object.keys(manyRelations)].filter(
    (field) => field in row,
  );
  return {
    ...row,
    ...(typeof row.description === "string" && { description: withoutMarker(row.description) }),
    ...Object.fromEntries(relations.map((field) => [field, toObjects(row[field])])),
    ...(!showHostPin && { pin: null }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
