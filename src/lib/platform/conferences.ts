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
      const rows = toRows(await listRows(client, conferencePath, { query: { order_by: "name" }, ...limits }));
      // By ID, because rows move between pages while rooms are created and deleted.
      return [...new Map(rows.map((row) => [row.id, row])).values()];
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
  meta: z.object({ next: z.string().nullish() }),
  objects: z.array(z.unknown()),
});

/**
 * Returns the rows of all pages, one page after the other. Throws PlatformError if one lacks the documented format, or
 * leads to a page that has been read.
 */
export async function listRows(
  client: Pick<PlatformClient, "call">,
  path: string,
  { query, ...limits }: CallLimits & Pick<PlatformCall, "query"> = {},
): Promise<unknown[]> {
  const rows: unknown[] = [];
  const followed = new Set<string>();
  let page: Pick<PlatformCall, "path" | "query"> | undefined = {
    path,
    query: { ...query, limit: rowsPerPage },
  };
  while (page !== undefined) {
    if (followed.has(page.path)) throw undocumentedResponse(path);
    followed.add(page.path);
    const { meta, objects } = readPage(await client.call({ method: "GET", ...page, ...limits }), path);
    rows.push(...objects);
    page = nextPage(meta.next, path);
  }
  return rows;
}

function readPage({ body }: PlatformResponse, path: string): z.output<typeof Page> {
  const page = Page.safeParse(body);
  if (!page.success) throw undocumentedResponse(path);
  return page.data;
}

/** Returns where the next page is, or undefined on the last one. The link must lead to the same resource. */
function nextPage(next: string | null | undefined, path: string): { path: string } | undefined {
  if (next === null || next === undefined) return undefined;
  const base = "http://platform.invalid";
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  if (url?.pathname !== path) throw undocumentedResponse(path);
  return { path: `${url.pathname}${url.search}` };
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
