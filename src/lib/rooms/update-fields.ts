/** Converts a PATCH body to platform fields, and reports the fields that cannot be changed. */
import { GatewayError, type ValidationFault } from "../errors.ts";
import { valueFault } from "../http/validation-fault.ts";
import { asRecord } from "../platform/as-record.ts";
import type { ConferenceRow } from "../platform/conference-row.ts";
import type { ConferenceFields } from "../platform/conferences.ts";
import { manyRelations, singleRelations, toUri } from "../platform/relations.ts";
import { formatMarker, maxDescriptionCharacters, parseMarker, withoutMarker } from "../pool/room.ts";
import type { Conference } from "./conference-schema.ts";

const readOnlyFields = new Set(["id", "resource_uri", "creation_time", "scheduled_conferences_count"]);

/**
 * Returns the fields to send to the platform, or none if the change has no effect. Throws `invalid-request` with every
 * field that cannot be changed as requested.
 */
export function toUpdateFields(change: Conference, room: ConferenceRow): ConferenceFields {
  const faults: ValidationFault[] = [];
  const fields = Object.entries(change).flatMap(([field, value]): [string, unknown][] => {
    if (value === undefined || readOnlyFields.has(field)) return [];
    if (field === "name" || field === "aliases") {
      if (!isUnchanged(field, value, room)) {
        faults.push(valueFault(["body", field], `${field} cannot be changed`));
      }
      return [];
    }
    if (field === "description") return [[field, keepMarker(change.description, room, faults)]];
    const isRelation = field in singleRelations || field in manyRelations;
    return [[field, isRelation && value !== null ? toRelation(field, value, faults) : value]];
  });
  if (faults.length > 0) throw new GatewayError("invalid-request", { faults });
  return Object.fromEntries(fields);
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
function keepMarker(
  description: string | null | undefined,
  room: ConferenceRow,
  faults: ValidationFault[],
): string {
  const text = withoutMarker(description ?? "");
  const marker = parseMarker(room.description);
  if (marker === undefined) return text;
  const line = formatMarker(marker);
  const maxCharacters = maxDescriptionCharacters - line.length - 1;
  if (text.length > maxCharacters) {
    faults.push({
      type: "string_too_long",
      loc: ["body", "description"],
      msg: `String should have at most ${maxCharacters} characters`,
      ctx: { max_length: maxCharacters },
    });
  }
  return text === "" ? line : `${text}\n${line}`;
}

/** Returns the URI or URIs of related objects, as the platform expects them. */
function toRelation(field: string, value: unknown, faults: ValidationFault[]): unknown {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const resource = singleRelations[field] ?? manyRelations[field] ?? field;
  const uris = entries.map((entry, index) => {
    const uri = toUri(asRecord(entry), resource);
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
