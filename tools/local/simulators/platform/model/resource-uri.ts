/** References between the platform's objects: `/api/admin/configuration/v1/<resource>/<id>/`. */
import * as z from "zod";
import { badRequest } from "./api-error.ts";

const embedded = z.union([
  z.object({ resource_uri: z.string() }).transform((value) => value.resource_uri),
  z.object({ id: z.int() }).transform((value) => value.id),
]);

/** Returns the path of an object, as the platform writes it. */
export function resourceUri(resource: string, id: number | string, family = "configuration"): string {
  return `/api/admin/${family}/v1/${resource}/${id}/`;
}

/**
 * Reads a reference written as a path, a full URL (everything before the path is cut) or an object with
 * `resource_uri` or `id`, and returns it as a path. Throws 400 for anything else.
 */
export function relationUri(value: unknown, resource: string): string {
  if (typeof value !== "string") {
    const target = embedded.safeParse(value);
    if (!target.success) throw badRequest(`A reference to '${resource}' could not be read.`);
    return relationUri(
      typeof target.data === "number" ? resourceUri(resource, target.data) : target.data,
      resource,
    );
  }
  const match = /\/api\/admin\/configuration\/v1\/([a-z_]+)\/(\d+)\/$/.exec(value);
  if (match?.[1] !== resource)
    throw badRequest(`An incorrect URL was provided '${value}' for '${resource}'.`);
  return resourceUri(resource, Number(match[2]));
}

/** Returns the id at the end of a reference that `relationUri` returned. */
export function idOfUri(uri: string): number {
  return Number(/\/(\d+)\/$/.exec(uri)?.[1]);
}
