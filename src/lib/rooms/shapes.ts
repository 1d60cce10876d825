/** Converts conferences of the platform to the shapes of responses. */
import type * as z from "zod";
import { isRoom, withoutMarker } from "../ownership/room.ts";
import type { ConferenceRow } from "../platform/conferences.ts";
import { manyRelations, singleRelations, toObjects } from "./relations.ts";
import type { CreatedRoom, GuestFields } from "./schemas.ts";

export function toCreatedRoom(row: ConferenceRow): z.output<typeof CreatedRoom> {
  const aliases = row.aliases ?? [];
  return {
    ...toGuestFields(row),
    aliases: aliases.flatMap(({ alias }) => (typeof alias === "string" ? [{ alias }] : [])),
  };
}

interface ShapeOptions {
  /** Whether only the fields needed to join the room are returned. */
  readonly constrained: boolean;
  /** False for public responses, which never contain the host PIN. */
  readonly showHostPin: boolean;
}

/**
 * Returns a conference in the constrained or the full shape. In the constrained shape, services that are not rooms,
 * such as test calls, have an empty PIN and tag. The full shape has every field of the platform except the marker, with
 * relations as arrays of objects.
 */
export function toReadRoom(row: ConferenceRow, { constrained, showHostPin }: ShapeOptions): object {
  if (constrained) {
    const shown = isRoom(row);
    return {
      ...toGuestFields(row),
      ...(!shown && { tag: "" }),
      ...(showHostPin && { pin: shown ? textOf(row["pin"]) : "" }),
      aliases: row.aliases ?? [],
    };
  }
  const relations = Object.keys({ ...singleRelations, ...manyRelations }).filter((field) => field in row);
  return {
    ...row,
    ...(typeof row.description === "string" && { description: withoutMarker(row.description) }),
    ...Object.fromEntries(relations.map((field) => [field, toObjects(row[field])])),
    ...(!showHostPin && { pin: null }),
  };
}

function toGuestFields(row: ConferenceRow): z.output<typeof GuestFields> {
  return {
    id: row.id,
    name: row.name,
    service_type: row.service_type ?? "conference",
    allow_guests: row["allow_guests"] === true,
    guest_pin: textOf(row["guest_pin"]),
    tag: row.tag ?? "",
  };
}

/** Returns a text field of the platform, or an empty string for any other value. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
