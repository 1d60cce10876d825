/** The platform's `conference` configuration resource, its relations, and the format of its lists. */
import * as z from "zod";
import type { PlatformCall, PlatformClient, PlatformResponse } from "./client.ts";
import { PlatformError } from "./errors.ts";

/** A row with the fields that the gateway relies on. Only these are checked; all others are kept unchanged. */
export interface ConferenceRow {
  readonly id: number;
  readonly name: string;
  /** A missing value means `conference`, as it does to the platform. */
  readonly service_type?: string | null;
  readonly description?: string | null;
  readonly tag?: string | null;
  readonly aliases?: readonly { readonly alias?: string | null; readonly [field: string]: unknown }[] | null;
  readonly [field: string]: unknown;
}

/** Fields to write, in the platform's format. */
export type ConferenceFields = Readonly<Record<string, unknown>>;

type CallLimits = Pick<PlatformCall, "timeoutSeconds" | "startBefore">;

/** Reads and changes conferences. Every method throws PlatformError if the platform cannot do what is asked. */
export interface Conferences {
  /** Returns the conference with exactly this name, or undefined if there is none. */
  findByName(name: string, limits?: CallLimits): Promise<ConferenceRow | undefined>;
  /** Returns all conferences of every kind, each one once. The limits hold for each page. Stops if one page fails. */
  list(limits?: CallLimits): Promise<ConferenceRow[]>;
  /** Creates a conference. Success means that it is stored, not that it is replicated to the nodes. */
  create(fields: ConferenceFields, limits?: CallLimits): Promise<void>;
  /**
   * Changes fields. A function for them is called immediately before each time they are sent. Returns false if the
   * conference does not exist.
   */
  update(
    id: number,
    fields: ConferenceFields | (() => ConferenceFields),
    limits?: CallLimits,
  ): Promise<boolean>;
  /** Deletes a conference. Returns false if it does not exist. */
  delete(id: number, limits?: CallLimits): Promise<boolean>;
}

const configuration = "/api/admin/configuration/v1";
const conferencePath = `${configuration}/conference/`;
const rowsPerPage = 500;
const maxPages = 1000;

/** Creates the resource on top of a client. Does nothing until a method is called. */
export function createConferences(client: Pick<PlatformClient, "call">): Conferences {
  return {
    async findByName(name, limits) {
      const response = await client.call({ method: "GET", path: conferencePath, query: { name }, ...limits });
      // The name is compared again because the platform ignores a parameter that it does not know.
      return toRows(readPage(response, conferencePath).objects).find((row) => row.name === name);
    },

    async list(limits) {
      const rows = toRows(await listRows(client, conferencePath, { query: { order_by: "name" }, ...limits }));
      // By ID, because rows move between pages while rooms are created and deleted.
      return [...new Map(rows.map((row) => [row.id, row])).values()];
    },

    async create(fields, limits) {
      await client.call({ method: "POST", path: conferencePath, body: fields, ...limits });
    },

    async update(id, fields, limits) {
      return isFound(
        client.call({ method: "PATCH", path: `${conferencePath}${id}/`, body: fields, ...limits }),
      );
    },

    async delete(id, limits) {
      return isFound(client.call({ method: "DELETE", path: `${conferencePath}${id}/`, ...limits }));
    },
  };
}

async function isFound(call: Promise<PlatformResponse>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof PlatformError && error.platformStatus === 404) return false;
    throw error;
  }
}

function toRows(objects: readonly unknown[]): ConferenceRow[] {
  return objects.map((row) => {
    if (!isConferenceRow(row)) throw undocumentedResponse(conferencePath);
    return row;
  });
}

/**
 * Returns whether a value has the fields that the gateway relies on. Written by hand because a schema would copy
 * thousands of rows of fifty fields.
 */
function isConferenceRow(row: unknown): row is ConferenceRow {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return false;
  const has = (field: string, isValid: (value: unknown) => boolean) => isValid(Reflect.get(row, field));
  return (
    has("id", Number.isInteger) &&
    has("name", (name) => typeof name === "string") &&
    has("service_type", isTextOrAbsent) &&
    has("description", isTextOrAbsent) &&
    has("tag", isTextOrAbsent) &&
    has("aliases", (aliases) => isAbsent(aliases) || (Array.isArray(aliases) && aliases.every(isAlias)))
  );
}

function isAlias(value: unknown): boolean {
  return typeof value === "object" && value !== null && (!("alias" in value) || isTextOrAbsent(value.alias));
}

function isTextOrAbsent(value: unknown): boolean {
  return isAbsent(value) || typeof value === "string";
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

/** A page of any resource. Counts that do not have the documented form are treated as missing. */
const Page = z.object({
  meta: z.object({
    limit: z.int().positive().optional().catch(undefined),
    next: z.string().nullish(),
    total_count: z.int().min(0).optional().catch(undefined),
  }),
  objects: z.array(z.unknown()),
});

/**
 * Returns the rows of all pages. Pages that can be predicted are fetched in parallel. If one fails, no other page is
 * asked for. Throws PlatformError if a page does not have the documented format.
 */
export async function listRows(
  client: Pick<PlatformClient, "call">,
  path: string,
  { query, ...limits }: Pick<PlatformCall, "query" | "timeoutSeconds" | "startBefore"> = {},
): Promise<unknown[]> {
  const failed = new AbortController();
  const getPage = async (page: Pick<PlatformCall, "path" | "query">): Promise<z.output<typeof Page>> => {
    try {
      return readPage(await client.call({ method: "GET", ...page, signal: failed.signal, ...limits }), path);
    } catch (error) {
      failed.abort();
      throw error;
    }
  };
  const first = await getPage({ path, query: { ...query, limit: rowsPerPage } });
  const pages = [first, ...(await Promise.all(predictedPaths(first, path).map(getPage)))];
  // Following the links finds pages that could not be predicted or were added in the meantime.
  let next = nextPath(pages.at(-1) ?? first, path);
  for (; next !== undefined; next = nextPath(pages.at(-1) ?? first, path)) {
    if (pages.length >= maxPages) throw undocumentedResponse(path);
    pages.push(await getPage({ path: next }));
  }
  return pages.flatMap(({ objects }) => objects);
}

function readPage({ body }: PlatformResponse, path: string): z.output<typeof Page> {
  const page = Page.safeParse(body);
  if (!page.success) throw undocumentedResponse(path);
  return page.data;
}

/** Returns the path of the next page, or undefined on the last one. The link must lead to the same resource. */
function nextPath({ meta: { next } }: z.output<typeof Page>, path: string): string | undefined {
  if (next === null || next === undefined) return undefined;
  const base = "http://platform.invalid";
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  if (url?.pathname !== path) throw undocumentedResponse(path);
  return `${url.pathname}${url.search}`;
}

/**
 * Returns the paths of all pages after the first one, if its link is the usual offset into as many rows as it counts.
 * Returns an empty list if the paths cannot be predicted.
 */
function predictedPaths(first: z.output<typeof Page>, path: string): { path: string }[] {
  const { limit, total_count: total } = first.meta;
  const next = nextPath(first, path);
  if (limit === undefined || total === undefined || next === undefined || total > limit * maxPages) return [];
  const query = new URLSearchParams(next.slice(path.length + 1));
  if (query.get("offset") !== String(limit) || query.get("limit") !== String(limit)) return [];
  return Array.from({ length: Math.ceil(total / limit) - 1 }, (_, index) => {
    query.set("offset", String(limit * (index + 1)));
    return { path: `${path}?${query.toString()}` };
  });
}

/** Returns the failure of a response that does not have the documented format. */
export function undocumentedResponse(path: string): PlatformError {
  return new PlatformError({
    outcome: "refused",
    message: `${path}: the response does not have the documented format`,
  });
}

// The API types relations as arrays of objects. The platform stores a URI, an object, null or a list.

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

/** Returns the URI of an object from a GET response, or undefined if the object has neither a usable URI nor an ID. */
export function toUri(entry: unknown, resource: string): string | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const { resource_uri: uri, id }: Readonly<Record<string, unknown>> = { ...entry };
  if (typeof uri === "string" && uri.startsWith(`${configuration}/`)) return uri;
  return uri === undefined && Number.isInteger(id)
    ? `${configuration}/${resource}/${String(id)}/`
    : undefined;
}
