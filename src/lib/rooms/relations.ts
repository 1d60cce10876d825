/**
 * The relations of a room. The API types them as arrays of objects; the platform stores a URI, an object, null or a
 * list.
 */

import * as z from "zod";

/** Resource of each to-one relation: the platform stores one URI or null, and returns the URI or the object. */
export const singleRelations: Readonly<Record<string, string>> = {
  gms_access_token: "gms_access_token",
  guest_identity_provider_group: "identity_provider_group",
  host_identity_provider_group: "identity_provider_group",
  ivr_theme: "ivr_theme",
  media_playlist: "media_library_playlist",
  mssip_proxy: "mssip_proxy",
  system_location: "system_location",
};

/** Resource of each to-many relation: the platform stores a list of URIs, and returns URIs or objects without one. */
export const manyRelations: Readonly<Record<string, string>> = {
  automatic_participants: "automatic_participant",
  scheduled_conferences: "scheduled_conference",
};

/** Converts a relation to the API's type: a list of objects, each URI as an object. Null stays null. */
export function toObjects(value: unknown): readonly object[] | null {
  if (value === null || value === undefined || value === "") return null;
  return (Array.isArray(value) ? value : [value]).flatMap((entry: unknown) => {
    if (typeof entry === "string") return [{ resource_uri: entry }];
    return typeof entry === "object" && entry !== null ? [entry] : [];
  });
}

const Reference = z.object({
  resource_uri: z.string().optional(),
  id: z.int().optional().catch(undefined),
});

/**
 * Returns the URI of an object from a GET response, or undefined if the object has neither a URI of this resource nor
 * an ID. For another URI, the platform would return 404, as if there were no such room.
 */
export function toUri(entry: unknown, resource: string): string | undefined {
  const { resource_uri, id } = Reference.safeParse(entry).data ?? {};
  const path = `/api/admin/configuration/v1/${resource}/`;
  const uri = resource_uri ?? `${path}${id}/`;
  return uri.startsWith(path) && /^[1-9]\d{0,8}\/$/.test(uri.slice(path.length)) ? uri : undefined;
}
