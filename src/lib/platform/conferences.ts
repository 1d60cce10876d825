/** The platform's `conference` configuration resource. */
import type { PlatformCall, PlatformClient, PlatformResponse } from "./client.ts";
import { type ConferenceRow, isConferenceRow } from "./conference-row.ts";
import { nextPath, Page, predictedPaths, undocumentedResponse } from "./pages.ts";
import { PlatformError } from "./platform-error.ts";

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

const conferencePath = "/api/admin/configuration/v1/conference/";
const rowsPerPage = 500;
const maxPages = 1000;

/** Creates the resource on top of a client. Does nothing until a method is called. */
export function createConferences(client: Pick<PlatformClient, "call">): Conferences {
  return {
    async findByName(name, limits) {
      const response = await client.call({ method: "GET", path: conferencePath, query: { name }, ...limits });
      // The name is compared again because the platform ignores a parameter that it does not know.
      return rowsOf(response).find((row) => row.name === name);
    },

    list: async (limits) => listAll(client, limits),

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

async function listAll(
  client: Pick<PlatformClient, "call">,
  limits: CallLimits = {},
): Promise<ConferenceRow[]> {
  const failed = new AbortController();
  const getPage = async (path: string): Promise<PlatformResponse> => {
    try {
      return await client.call({ method: "GET", path, signal: failed.signal, ...limits });
    } catch (error) {
      failed.abort();
      throw error;
    }
  };
  const first = await client.call({
    method: "GET",
    path: conferencePath,
    query: { limit: rowsPerPage, order_by: "name" },
    ...limits,
  });
  const paths = predictedPaths(first, conferencePath, maxPages);
  const pages = [first, ...(await Promise.all(paths.map(getPage)))];
  // Following the links finds pages that could not be predicted or were added in the meantime.
  let next = nextPath(pages.at(-1) ?? first, conferencePath);
  for (; next !== undefined; next = nextPath(pages.at(-1) ?? first, conferencePath)) {
    if (pages.length >= maxPages) throw undocumentedResponse(conferencePath);
    pages.push(await getPage(next));
  }
  // By ID, because rows move between pages while rooms are created and deleted.
  const rows = new Map(pages.flatMap(rowsOf).map((row) => [row.id, row]));
  return [...rows.values()];
}

function rowsOf({ body }: PlatformResponse): ConferenceRow[] {
  const page = Page.safeParse(body);
  if (!page.success) throw undocumentedResponse(conferencePath);
  return page.data.objects.map((row) => {
    if (!isConferenceRow(row)) throw undocumentedResponse(conferencePath);
    return row;
  });
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
