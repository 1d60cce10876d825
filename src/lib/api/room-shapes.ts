/** Turns the platform's rows into the shapes of the specification's answers. */
import type * as z from "zod";
import type { ConferenceRow } from "../platform/conference-row.ts";
import { manyRelations, singleRelations, toObjects } from "../platform/relations.ts";
import { withoutMarker } from "../rooms/marker.ts";
import { isRoom } from "../rooms/ownership.ts";
import type { ConstrainedConference, CreatedRoom } from "./room-schemas.ts";

export interface ShapeOptions {
  readonly constrained: boolean;
  /** False for public answers, which never carry the host PIN. */
  readonly showHostPin: boolean;
}

/** One room as a read answers it, in the constrained or the full shape. */
export function toReadRoom(row: ConferenceRow, { constrained, showHostPin }: ShapeOptions): object {
  return constrained ? toConstrained(row, showHostPin) : toFull(row, showHostPin);
}

/** The constrained shape. Services that are no rooms (a test call, say) have neither PIN nor tag to show. */
function toConstrained(row: ConferenceRow, showHostPin: boolean): z.output<typeof ConstrainedConference> {
  const shown = isRoom(row);
  return {
    ...common(row),
    tag: shown ? (row.tag ?? "") : "",
    ...(showHostPin && { pin: shown ? textOf(row["pin"]) : "" }),
    aliases: [...(row.aliases ?? [])],
  };
}

/** The answer of a create: no host PIN, whatever else is asked for. */
export function toCreatedRoom(row: ConferenceRow): z.output<typeof CreatedRoom> {
  return {
    ...common(row),
    aliases: (row.aliases ?? []).flatMap(({ alias }) => (typeof alias === "string" ? [{ alias }] : [])),
  };
}

function common(row: ConferenceRow): z.output<typeof CreatedRoom> {
  return {
    id: row.id,
    name: row.name,
    service_type: row.service_type ?? "conference",
    allow_guests: row["allow_guests"] === true,
    guest_pin: textOf(row["guest_pin"]),
    tag: row.tag ?? "",
    aliases: [],
  };
}

/** The full shape: every field of the platform, the marker left out, relations as arrays of objects. */
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
