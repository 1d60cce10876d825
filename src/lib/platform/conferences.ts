/** The platform's `conference` configuration resource, its relations, and the format of its lists. */
import * as z from "zod";
import type { PlatformCall, PlatformClient, PlatformResponse } from "./client.ts";
import { PlatformError } from "./errors.ts";

const text = z.string().nullish();

// The fields that the gateway relies on. Rows are checked but not parsed, which would copy thousands of rows of fifty
// fields.
const ReliedOnFields = z.object({
  id: z.int(),
  name: z.string(),
  // A missing value means `conference`, as it does to the platform.
  service_type: text,
  description: text,
  tag: text,
  aliases: z.array(z.looseObject({ alias: text })).nullish(),
});

/** A row with the fields that the gateway relies on. Only these are checked; all others are kept unchanged. */
export type ConferenceRow = Readonly<z.output<typeof ReliedOnFields>> & { readonly [field: string]: unknown };

/** Fields to write, in the platform's format. */
export type ConferenceFields = Readonly<Record<string, unknown>>;

/** When a call must start, in whose slot, and how long it may take. */
export type CallLimits = Pick<PlatformCall, "timeoutSeconds" | "startBefore" | "slot">;

/** Reads and changes conferences. Every method throws PlatformError if the platform cannot do what is asked. */
export type Conferences = ReturnType<typeof createConferences>;

const configuration = "/api/admin/configuration/v1";
const conferencePath = `${configuration}/conference/`;
const rowsPerPage = 500;

/** Creates the resource on top of a client. Does nothing until a method is called. */
export function createConferences(client: Pick<PlatformClient, "call">) {
  return {
    /** Returns the conference with exactly this name, or undefined if there is none. */
    async findByName(name: string, limits?: CallLimits): Promise<ConferenceRow | undefined> {
      const response = await client.call({ method: "GET", path: conferencePath, query: { name }, ...limits });
      // The name is compared again because the platform ignores a parameter that it does not know.
      return toRows(readPage(response, conferencePath).objects).find((row) => row.name === name);
    },

    /** Returns all conferences of every kind, each one once. The limits hold for each page. Stops if one page fails. */
    async list(limits?: CallLimits): Promise<ConferenceRow[]> {
      return toRows(await listRows(client, conferencePath, { query: { order_by: "name" }, ...limits }));
    },

    /** Creates a conference. Success means that it is stored, not that it is replicated to the nodes. */
    async create(fields: ConferenceFields, limits?: CallLimits): Promise<void> {
      await client.call({ method: "POST", path: conferencePath, body: fields, ...limits });
    },

    /**
     * Changes fields. A function for them is called immediately before each time they are sent. Returns the fields as
     * they were sent last, or undefined if the conference does not exist.
     */
    async update(id: number, fields: ConferenceFields | (() => ConferenceFields), limits?: CallLimits) {
      let sent: ConferenceFields = {};
      const body = () => {
        sent = typeof fields === "function" ? fields() : fields;
        return sent;
      };
      const path = `${conferencePath}${id}/`;
      return (await isFound(client.call({ method: "PATCH", path, body, ...limits }))) ? sent : undefined;
    },

    /** Deletes a conference. Returns false if it does not exist. */
    async delete(id: number, limits?: CallLimits): Promise<boolean> {
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

function isConferenceRow(row: unknown): row is ConferenceRow {
  return ReliedOnFields.safeParse(row).success;
}

const Page = z.object({
  // The number of rows on all pages (django-tastypie 0.15.1, tastypie/paginator.py).
  meta: z.object({ total_count: z.int() }),
  objects: z.array(z.unknown()),
});

// A row without an ID counts as another one each time.
const idOf = (row: unknown): unknown => (row instanceof Object && "id" in row ? row.id : undefined) ?? {};

/**
 * Returns the rows of all pages, one page after the other, each ID once and as it was last. Pages overlap by a tenth, so
 * that no row is missing when a few earlier ones are deleted meanwhile. Throws PlatformError if a page lacks the
 * documented format, or is empty before the end.
 */
export async function listRows(
  client: Pick<PlatformClient, "call">,
  path: string,
  { query, ...limits }: CallLimits & Pick<PlatformCall, "query"> = {},
): Promise<unknown[]> {
  const rows = new Map<unknown, unknown>();
  for (let offset = 0; ; ) {
    const pageQuery = { ...query, limit: rowsPerPage, offset };
    const response = await client.call({ method: "GET", path, query: pageQuery, ...limits });
    const { meta, objects } = readPage(response, path);
    for (const row of objects) rows.set(idOf(row), row);
    if (offset + objects.length >= meta.total_count) return [...rows.values()];
    if (objects.length === 0) throw undocumentedResponse(path);
    offset += Math.ceil(0.9 * objects.length);
  }
}

function readPage({ body }: PlatformResponse, path: string): z.output<typeof Page> {
  const page = Page.safeParse(body);
  if (!page.success) throw undocumentedResponse(path);
  return page.data;
}

/** Returns the failure of a response that does not have the documented format. */
export function undocumentedResponse(path: string): PlatformError {
  return new PlatformError({
    outcome: "unknown",
    method: "GET",
    status: 200,
    message: `${path}: the response does not have the documented format`,
  });
}
