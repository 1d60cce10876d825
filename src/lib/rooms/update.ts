/** Updates a room on the platform, and reports fields that cannot be changed and values that the platform rejects. */
import { GatewayError, type ValidationFault } from "../errors.ts";
import { tooLongFault, valueFault } from "../http/validation.ts";
import type { Log } from "../log.ts";
import {
  type ConferenceFields,
  type ConferenceRow,
  type Conferences,
  manyRelations,
  singleRelations,
  toUri,
} from "../platform/conferences.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import { formatMarker, maxDescriptionCharacters, parseMarker, withoutMarker } from "../pool/room.ts";
import { findRoom } from "./read.ts";
import { Conference, ConferenceUpdate } from "./schemas.ts";

/**
 * Updates the room with this name and logs that. Throws `room-not-found`, `invalid-request` if a field is unknown or
 * cannot be changed, or if the platform rejects its value, and PlatformError if the platform fails otherwise.
 */
export async function changeRoom(
  conferences: Pick<Conferences, "findByName" | "update">,
  name: string,
  change: Conference,
  log: Log,
): Promise<void> {
  const room = await findRoom(conferences, name);
  const fields = toUpdateFields(change, room);
  if (Object.keys(fields).length === 0) return;
  const isFound = await conferences.update(room.id, fields).catch((error: unknown) => {
    throw asInvalidRequest(error);
  });
  if (!isFound) throw new GatewayError("room-not-found");
  log.info("room-updated", { room: room.name });
}

/** Converts a 400 that names fields to a 422 for the same fields with a fixed text. Returns any other error unchanged. */
function asInvalidRequest(error: unknown): unknown {
  const fields = error instanceof PlatformError ? rejectedFields(error) : [];
  if (fields.length === 0) return error;
  return new GatewayError("invalid-request", {
    cause: error,
    faults: fields.map((field) =>
      valueFault(
        field === "__all__" ? ["body"] : ["body", field],
        "the conferencing platform rejected this value",
      ),
    ),
  });
}

// Longer than every field name.
const maxComparedCharacters = 60;
const readOnlyFields = new Set(["id", "resource_uri", "creation_time", "scheduled_conferences_count"]);

/**
 * Returns the fields to send to the platform, or none if the change has no effect. Throws `invalid-request` with every
 * field that cannot be changed as requested.
 */
export function toUpdateFields(change: Conference, room: ConferenceRow): ConferenceFields {
  const known = new Set(Object.keys({ ...ConferenceUpdate.shape, ...Conference.shape, ...room }));
  const faults: ValidationFault[] = [];
  const fields = Object.entries(change).flatMap(([field, value]): [string, unknown][] => {
    if (value === undefined || readOnlyFields.has(field)) return [];
    if (!known.has(field)) faults.push(unknownField(field, known));
    if (field === "name" || field === "aliases") {
      if (!isUnchanged(field, value, room)) {
        faults.push(valueFault(["body", field], `${field} cannot be changed`));
      }
      return [];
    }
    if (field === "description") {
      const text = withoutMarker(change.description ?? "");
      const isSame = text === withoutMarker(room.description ?? "");
      return isSame ? [] : [[field, keepMarker(text, room, faults)]];
    }
    const isRelation = field in singleRelations || field in manyRelations;
    return [[field, isRelation && value !== null ? toRelation(field, value, faults) : value]];
  });
  if (faults.length > 0) throw new GatewayError("invalid-request", { faults });
  return Object.fromEntries(fields);
}

/** Returns the fault of a field that neither the specification nor the platform knows, with the name that was meant. */
function unknownField(field: string, known: ReadonlySet<string>): ValidationFault {
  const distances = [...known].map((name) => ({ name, distance: editDistance(field, name) }));
  const [nearest] = distances.toSorted((one, other) => one.distance - other.distance);
  const isLikely = nearest !== undefined && nearest.distance <= Math.max(2, nearest.name.length / 4);
  const hint = isLikely ? `; did you mean ${nearest.name}?` : "";
  return { type: "extra_forbidden", loc: ["body", field], msg: `Extra inputs are not permitted${hint}` };
}

/** Returns how many characters must be inserted, removed or replaced (https://en.wikipedia.org/wiki/Levenshtein_distance). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of Array.from(from.slice(0, maxComparedCharacters)).entries()) {
    const next = [index + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (row[column] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * Renaming would separate a room from its alias, queue message and events, and writing aliases could take them from
 * other rooms. Both fields are accepted only if they change nothing.
 */
function isUnchanged(field: "name" | "aliases", value: unknown, room: ConferenceRow): boolean {
  if (value === null) return true;
  if (field === "name") return value === room.name;
  return namesOf(value) === namesOf(room.aliases);
}

function namesOf(aliases: unknown): string {
  const entries: { readonly alias?: unknown }[] = Array.isArray(aliases) ? aliases : [];
  const names = entries.map(({ alias }) => String(alias));
  return names.toSorted().join("\n");
}

/** Returns the new description with the marker of the room. Only the gateway writes markers. */
function keepMarker(text: string, room: ConferenceRow, faults: ValidationFault[]): string {
  const marker = parseMarker(room.description);
  if (marker === undefined) return text;
  if (marker.state === "pooled")
    faults.push(
      valueFault(["body", "description"], "the description of a room in the pool cannot be changed"),
    );
  const line = formatMarker(marker);
  const maxCharacters = maxDescriptionCharacters - line.length - 1;
  if (text.length > maxCharacters) faults.push(tooLongFault(["body", "description"], maxCharacters));
  return text === "" ? line : `${text}\n${line}`;
}

/** Returns the URI or URIs of related objects, as the platform expects them. */
function toRelation(field: string, value: unknown, faults: ValidationFault[]): unknown {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const resource = singleRelations[field] ?? manyRelations[field] ?? field;
  const uris = entries.map((entry, index) => {
    const uri = toUri(entry, resource);
    if (uri === undefined) {
      const reason = "the object must contain the resource_uri or id from a GET response";
      faults.push(valueFault(["body", field, index], reason));
    }
    return uri;
  });
  if (field in manyRelations) return uris;
  if (uris.length > 1) faults.push(valueFault(["body", field], "at most one object is allowed"));
  return uris[0] ?? null;
}
