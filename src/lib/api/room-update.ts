/** Updates a room: converts a PATCH body to platform fields, and reports the fields that cannot be changed. */
import { GatewayError, type ValidationFault } from "../errors.ts";
import { valueFault } from "../http/validation-fault.ts";
import { asRecord } from "../platform/as-record.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { ConferenceFields, Conferences } from "../platform/conferences.ts";
import { PlatformError } from "../platform/platform-error.ts";
import { rejectedPaths } from "../platform/rejected-fields.ts";
import { manyRelations, singleRelations, toUri } from "../platform/relations.ts";
import { formatMarker, maxDescriptionCharacters, parseMarker, withoutMarker } from "../rooms/marker.ts";
import type { Conference } from "./room-schemas.ts";

/**
 * Updates the room with this name and returns whether it exists. Throws `invalid-request` if a field cannot be changed
 * or the platform rejects its value, and PlatformError if the platform fails otherwise.
 */
export async function changeRoom(
  conferences: Pick<Conferences, "findByName" | "update">,
  name: string,
  change: Conference,
): Promise<boolean> {
  const room = await conferences.findByName(name);
  if (!room) return false;
  const fields = toUpdate(change, room);
  if (Object.keys(fields).length === 0) return true;
  return conferences.update(room.id, fields).catch((error: unknown) => {
    throw asInvalidRequest(error);
  });
}

const readOnlyFields = new Set(["id", "resource_uri", "creation_time", "scheduled_conferences_count"]);

/** Returns the fields to send, which may be none. Throws `invalid-request` with every field that cannot be changed. */
function toUpdate(change: Conference, room: ConferenceRow): ConferenceFields {
  const faults: ValidationFault[] = [];
  const fields = Object.entries(change).flatMap(([field, value]): [string, unknown][] => {
    if (value === undefined || readOnlyFields.has(field)) return [];
    if (field === "name" || field === "aliases") {
      if (!isUnchanged(field, value, room))
        faults.push(valueFault(["body", field], `${field} cannot be changed`));
      return [];
    }
    if (field === "description") return [[field, keepMarker(change.description, room, faults)]];
    if (value === null) return [[field, null]];
    if (field in singleRelations || field in manyRelations)
      return [[field, toRelation(field, value, faults)]];
    return [[field, value]];
  });
  if (faults.length > 0) throw new GatewayError("invalid-request", { faults });
  return Object.fromEntries(fields);
}

// Renaming would separate a room from its alias, queue message and events, and writing aliases could take them from
// other rooms. Both are accepted only if they change nothing.
function isUnchanged(field: "name" | "aliases", value: unknown, room: ConferenceRow): boolean {
  if (field === "name") return value === null || value === room.name;
  if (value === null) return true;
  const names = (aliases: unknown) =>
    (Array.isArray(aliases) ? aliases : [])
      .map((entry: { alias?: unknown }) => String(entry.alias))
      .toSorted()
      .join("\n");
  return names(value) === names(room.aliases);
}

function keepMarker(
  description: string | null | undefined,
  room: ConferenceRow,
  faults: ValidationFault[],
): string {
  // Only the gateway writes markers.
  const text = withoutMarker(description ?? "");
  const marker = parseMarker(room.description);
  if (marker === undefined) return text;
  const line = formatMarker(marker);
  const limit = maxDescriptionCharacters - line.length - 1;
  if (text.length > limit) {
    faults.push({
      type: "string_too_long",
      loc: ["body", "description"],
      msg: `String should have at most ${limit} characters`,
      ctx: { max_length: limit },
    });
  }
  return text === "" ? line : `${text}\n${line}`;
}

function toRelation(field: string, value: unknown, faults: ValidationFault[]): unknown {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const resource = singleRelations[field] ?? manyRelations[field] ?? field;
  const uris = entries.map((entry, index) => {
    const uri = toUri(asRecord(entry), resource);
    if (uri === undefined) {
      faults.push(
        valueFault(
          ["body", field, index],
          "the object must contain the resource_uri or id from a GET response",
        ),
      );
    }
    return uri;
  });
  if (field in manyRelations) return uris;
  if (uris.length > 1) faults.push(valueFault(["body", field], "at most one object is allowed"));
  return uris[0] ?? null;
}

/** Converts a platform 400 to a 422 for the same fields with a fixed text. Returns any other error unchanged. */
function asInvalidRequest(error: unknown): unknown {
  const paths = error instanceof PlatformError ? rejectedPaths(error) : undefined;
  if (paths === undefined) return error;
  return new GatewayError("invalid-request", {
    cause: error,
    faults: paths.map((path) =>
      valueFault(["body", ...path], "the conferencing platform rejected this value"),
    ),
  });
}
