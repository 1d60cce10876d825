/** Updates a room on the platform, and reports fields that cannot be changed and values that the platform rejects. */
import { GatewayError, type ValidationFault } from "../errors.ts";
import { tooLongFault, typeFault, valueFault } from "../http/validation.ts";
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
const isRelation = (field: string) => field in singleRelations || field in manyRelations;

/**
 * Returns the fields to send to the platform, or none if the change has no effect. Throws `invalid-request` with every
 * field that cannot be changed as requested.
 */
export function toUpdateFields(change: Conference, room: ConferenceRow): ConferenceFields {
  const known = new Set(Object.keys({ ...ConferenceUpdate.shape, ...Conference.shape, ...room }));
  const changed = Object.entries(change).filter(
    ([field, value]) => value !== undefined && !readOnlyFields.has(field) && !isUnchanged(field, value, room),
  );
  const faults = changed.flatMap(([field, value]) =>
    known.has(field) ? faultsOf(field, value, room) : [typeFault("extra_forbidden", ["body", field])],
  );
  if (faults.length > 0) throw new GatewayError("invalid-request", { faults });
  return Object.fromEntries(changed.map(([field, value]) => [field, toSent(field, value, room)]));
}

/** Whether a field that is not simply passed on to the platform has its present value. */
function isUnchanged(field: string, value: unknown, room: ConferenceRow): boolean {
  if (field === "name") return value === null || value === room.name;
  if (field === "aliases") return value === null || namesOf(value) === namesOf(room.aliases);
  return field === "description" && descriptionText(value) === descriptionText(room.description);
}

function namesOf(aliases: unknown): string {
  const entries: { readonly alias?: unknown }[] = Array.isArray(aliases) ? aliases : [];
  const names = entries.map(({ alias }) => String(alias));
  return names.toSorted().join("\n");
}

function descriptionText(value: unknown): string {
  return typeof value === "string" ? withoutMarker(value) : "";
}

/** Returns why this field cannot be changed to this value. */
function faultsOf(field: string, value: unknown, room: ConferenceRow): ValidationFault[] {
  // Renaming would separate a room from its queue message and events, and writing aliases could take them from others.
  if (field === "name" || field === "aliases")
    return [valueFault(["body", field], `${field} cannot be changed`)];
  if (field === "description") return descriptionFaults(descriptionText(value), room);
  return isRelation(field) && Array.isArray(value) ? relationFaults(field, value) : [];
}

function descriptionFaults(text: string, room: ConferenceRow): ValidationFault[] {
  const loc = ["body", "description"];
  const marker = parseMarker(room.description);
  if (marker?.state === "pooled")
    return [valueFault(loc, "the description of a room in the pool cannot be changed")];
  const maxCharacters = maxDescriptionCharacters - (marker ? formatMarker(marker).length + 1 : 0);
  return marker && text.length > maxCharacters ? [tooLongFault(loc, maxCharacters)] : [];
}

function relationFaults(field: string, entries: readonly unknown[]): ValidationFault[] {
  const reason = "the object must contain the resource_uri or id from a GET response";
  const faults = entries.flatMap((entry, index) =>
    toRelatedUri(field, entry) === undefined ? [valueFault(["body", field, index], reason)] : [],
  );
  if (field in singleRelations && entries.length > 1)
    faults.push(valueFault(["body", field], "at most one object is allowed"));
  return faults;
}

/** Returns the value as the platform expects it. Only the gateway writes markers, so the room keeps its own. */
function toSent(field: string, value: unknown, room: ConferenceRow): unknown {
  if (field === "description") {
    const marker = parseMarker(room.description);
    const lines = [descriptionText(value), ...(marker ? [formatMarker(marker)] : [])];
    return lines.filter((line) => line !== "").join("\n");
  }
  if (!isRelation(field) || !Array.isArray(value)) return value;
  const uris = value.map((entry: unknown) => toRelatedUri(field, entry));
  return field in manyRelations ? uris : (uris[0] ?? null);
}

function toRelatedUri(field: string, entry: unknown): string | undefined {
  return toUri(entry, singleRelations[field] ?? manyRelations[field] ?? field);
}
