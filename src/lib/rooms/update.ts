/** Updates a room on the platform, and reports fields that cannot be changed and values that the platform rejects. */
import { isDeepStrictEqual } from "node:util";
import { GatewayError, type ValidationFault } from "../errors.ts";
import { tooLongFault, typeFault, valueFault } from "../http/validation.ts";
import { containsObject } from "../json.ts";
import type { Log } from "../log.ts";
import { formatMarker, maxDescriptionCharacters, parseMarker, withoutMarker } from "../ownership/room.ts";
import type { ConferenceFields, ConferenceRow, Conferences } from "../platform/conferences.ts";
import { PlatformError, rejectedFields } from "../platform/errors.ts";
import { findRoom } from "./read.ts";
import { manyRelations, singleRelations, toUri } from "./relations.ts";
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
  const sent = await conferences.update(room.id, fields).catch((error: unknown) => {
    throw asInvalidRequest(error);
  });
  if (!sent) throw new GatewayError("room-not-found");
  log.info("room-updated", { room: room.name });
}

/**
 * Converts a 400 that names fields to a 422 for the same fields with a fixed text. The platform may name the room as a
 * whole beside a field, which says nothing more. Returns any other error unchanged.
 */
function asInvalidRequest(error: unknown): unknown {
  const fields = error instanceof PlatformError ? rejectedFields(error) : [];
  if (fields.length === 0) return error;
  const named = new Set(fields.filter((field) => field !== "__all__"));
  const places = named.size > 0 ? Array.from(named, (field) => ["body", field]) : [["body"]];
  const reason = "the conferencing platform rejected this value";
  return new GatewayError("invalid-request", {
    cause: error,
    faults: places.map((loc) => valueFault(loc, reason)),
  });
}

const readOnlyFields = new Set(["id", "resource_uri", "creation_time", "scheduled_conferences_count"]);

/**
 * Returns the fields to send to the platform, or none if the change has no effect. Throws `invalid-request` with every
 * field that cannot be changed as requested.
 */
export function toUpdateFields(change: Conference, room: ConferenceRow): ConferenceFields {
  const known = new Set(Object.keys({ ...ConferenceUpdate.shape, ...Conference.shape, ...room }));
  const given = Object.entries(change).filter(
    ([field, value]) => value !== undefined && !readOnlyFields.has(field),
  );
  const faults = given.flatMap(([field]) =>
    known.has(field) ? [] : [typeFault("extra_forbidden", ["body", field])],
  );
  const fields = given.map(([field, value]) => [field, toSent(field, value, room, faults)] as const);
  if (faults.length > 0) throw new GatewayError("invalid-request", { faults });
  return Object.fromEntries(fields.filter(([, sent]) => sent !== undefined));
}

/**
 * Returns the value to send, or undefined if the room has it already. Adds why the field cannot be changed to `faults`.
 */
function toSent(field: string, value: unknown, room: ConferenceRow, faults: ValidationFault[]): unknown {
  const refuse = (reason: string, ...path: number[]) =>
    void faults.push(valueFault(["body", field, ...path], reason));
  // Renaming would separate a room from its queue message and events, and writing aliases could take them from others.
  if (field === "name" || field === "aliases") {
    const isUnchanged = field === "name" ? value === room.name : namesOf(value) === namesOf(room.aliases);
    if (value !== null && !isUnchanged) refuse(`${field} cannot be changed`);
    return undefined;
  }
  if (field === "description") return toSentDescription(descriptionText(value), room, faults);
  const resource = singleRelations[field] ?? manyRelations[field];
  if (resource === undefined) {
    if (isPlain(field, value)) return value;
    if (!isDeepStrictEqual(value, room[field]))
      refuse("must be the value from a GET response, or the URI of another object");
    return undefined;
  }
  if (!Array.isArray(value)) return value;
  const uris = value.map((entry: unknown) => toUri(entry, resource));
  for (const [index, uri] of uris.entries())
    if (uri === undefined)
      refuse("the object must contain the resource_uri or id from a GET response", index);
  if (field in manyRelations) return uris;
  if (uris.length > 1) refuse("at most one object is allowed");
  return uris[0] ?? null;
}

/**
 * Returns whether the platform stores the value in the room alone. The fields of an object would be written to the
 * related object, which other rooms share, and its missing fields would become blank (seen with django-tastypie
 * 0.15.1).
 */
function isPlain(field: string, value: unknown): boolean {
  // The only relation of version 41 that specification 2.3.4 does not convert.
  if (field === "teams_proxy") return value === null || toUri({ resource_uri: value }, field) !== undefined;
  return !containsObject(value);
}

function namesOf(aliases: unknown): string {
  const entries: { readonly alias?: unknown }[] = Array.isArray(aliases) ? aliases : [];
  const names = entries.map(({ alias }) => String(alias));
  return names.toSorted().join("\n");
}

function descriptionText(value: unknown): string {
  return typeof value === "string" ? withoutMarker(value) : "";
}

/** Only the gateway writes markers, so the room keeps its own. */
function toSentDescription(text: string, room: ConferenceRow, faults: ValidationFault[]): string | undefined {
  if (text === descriptionText(room.description)) return undefined;
  const marker = parseMarker(room.description);
  if (!marker) return text;
  const loc = ["body", "description"];
  const line = formatMarker(marker);
  const maxCharacters = maxDescriptionCharacters - line.length - 1;
  if (marker.state === "pooled")
    faults.push(valueFault(loc, "the description of a room in the pool cannot be changed"));
  else if (Array.from(text).length > maxCharacters) faults.push(tooLongFault(loc, maxCharacters));
  return text === "" ? line : `${text}\n${line}`;
}
