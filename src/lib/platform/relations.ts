/** Fields that the specification types as arrays of objects and the platform keeps as a URI, an object, null or a list. */

const configuration = "/api/admin/configuration/v1";

/** To-one relations: the platform has one URI (or, on reading, the embedded object) or null. */
export const singleRelations: Readonly<Record<string, string>> = {
  gms_access_token: "gms_access_token",
  guest_identity_provider_group: "identity_provider_group",
  host_identity_provider_group: "identity_provider_group",
  ivr_theme: "ivr_theme",
  media_playlist: "media_library_playlist",
  mssip_proxy: "mssip_proxy",
  system_location: "system_location",
};

/** To-many relations: the platform has a list of URIs or, on reading, of embedded objects without a URI. */
export const manyRelations: Readonly<Record<string, string>> = {
  automatic_participants: "automatic_participant",
  scheduled_conferences: "scheduled_conference",
};

/** A relation as the specification types it: null stays null, an object becomes a list of one, a URI an object. */
export function toObjects(value: unknown): readonly object[] | null {
  if (value === null || value === undefined || value === "") return null;
  return (Array.isArray(value) ? value : [value]).flatMap((entry: unknown) => {
    if (typeof entry === "string") return [{ resource_uri: entry }];
    return typeof entry === "object" && entry !== null ? [entry] : [];
  });
}

/** The URI that an object of a GET answer stands for; undefined when it carries neither a URI nor an id. */
export function toUri(entry: Readonly<Record<string, unknown>>, resource: string): string | undefined {
  const { resource_uri: uri, id } = entry;
  if (typeof uri === "string" && uri.startsWith(`${configuration}/`)) return uri;
  return uri === undefined && Number.isInteger(id)
    ? `${configuration}/${resource}/${String(id)}/`
    : undefined;
}
