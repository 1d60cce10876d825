/** The platform's `conference` configuration resource: find, list, create, change, delete. */
import * as z from "zod";
import type { PlatformAnswer, PlatformCall, PlatformClient } from "./client.ts";
import { type ConferenceRow, isConferenceRow } from "./conference-row.ts";
import { PlatformError } from "./platform-error.ts";

const Page = z.object({
  meta: z.object({
    limit: z.int().positive().optional().catch(undefined),
    next: z.string().nullish(),
    total_count: z.int().min(0).optional().catch(undefined),
  }),
  objects: z.array(z.unknown()),
});

/** Fields for a write, in the platform's own form. */
export type ConferenceFields = Readonly<Record<string, unknown>>;

type CallLimits = Pick<PlatformCall, "timeoutSeconds" | "startBefore">;

export interface Conferences {
  /** The conference with exactly this name. */
  findByName(name: string, limits?: CallLimits): Promise<ConferenceRow | undefined>;
  /** All conferences of every kind, page by page in the order of their names. */
  readonly list: () => Promise<ConferenceRow[]>;
  /** Makes a conference; a success says that it is stored, not that it is replicated to the nodes. */
  create(fields: ConferenceFields, limits?: CallLimits): Promise<void>;
  /** Changes fields; false when there is no such conference. */
  update(id: number, fields: ConferenceFields, limits?: CallLimits): Promise<boolean>;
  /** Deletes; false when it was gone already. */
  delete(id: number, limits?: CallLimits): Promise<boolean>;
}

const conferencePath = "/api/admin/configuration/v1/conference/";
const rowsPerPage = 500;
const maxPages = 1000;

/** Every method throws PlatformError. */
export function createConferences(client: Pick<PlatformClient, "call">): Conferences {
  const getPage = async (path: string): Promise<PlatformAnswer> => client.call({ method: "GET", path });

  return {
    async findByName(name, limits) {
      const answer = await client.call({ method: "GET", path: conferencePath, query: { name }, ...limits });
      // The name is compared again: a parameter that the platform does not know gives an unfiltered list.
      return rowsOf(answer, conferencePath).find((row) => row.name === name);
    },

    async list() {
      const first = await client.call({
        method: "GET",
        path: conferencePath,
        query: { limit: rowsPerPage, order_by: "name" },
      });
      const pages = [first, ...(await Promise.all(predictedPages(first).map(getPage)))];
      // Whatever could not be predicted, or was added meanwhile, is found by following the links.
      let next = nextPath(pages.at(-1) ?? first, conferencePath);
      for (; next !== undefined; next = nextPath(pages.at(-1) ?? first, conferencePath)) {
        if (pages.length >= maxPages) throw unusable(conferencePath);
        pages.push(await getPage(next));
      }
      // By id, as rows move between pages while rooms come and go.
      return [
        ...new Map(
          pages.flatMap((page) => rowsOf(page, conferencePath)).map((row) => [row.id, row]),
        ).values(),
      ];
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

/**
 * The paths of all further pages, when the first page's link is the usual offset into as many rows as it counts:
 * they can be fetched side by side, as far as the client lets them.
 */
function predictedPages(first: PlatformAnswer): string[] {
  const { limit, total_count: total } = Page.safeParse(first.body).data?.meta ?? {};
  const next = nextPath(first, conferencePath);
  if (limit === undefined || total === undefined || next === undefined || total > limit * maxPages) return [];
  const query = new URLSearchParams(next.slice(conferencePath.length + 1));
  if (query.get("offset") !== String(limit) || query.get("limit") !== String(limit)) return [];
  return Array.from({ length: Math.ceil(total / limit) - 1 }, (_, index) => {
    query.set("offset", String(limit * (index + 1)));
    return `${conferencePath}?${query.toString()}`;
  });
}

function rowsOf({ body }: PlatformAnswer, path: string): ConferenceRow[] {
  const page = Page.safeParse(body);
  if (!page.success) throw unusable(path);
  return page.data.objects.map((row) => {
    if (!isConferenceRow(row)) throw unusable(path);
    return row;
  });
}

/** The next page's path; links to another place than the same resource of the configured platform are not followed. */
export function nextPath({ body }: PlatformAnswer, path: string): string | undefined {
  const next = Page.safeParse(body).data?.meta.next;
  if (next === null || next === undefined) return undefined;
  const base = "http://platform.invalid";
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  if (url?.pathname !== path) throw unusable(path);
  return `${url.pathname}${url.search}`;
}

/** An answer that is not what the platform documents. */
export function unusable(path: string): PlatformError {
  return new PlatformError({
    outcome: "refused",
    message: `${path}: the answer is not of the documented shape`,
  });
}

async function isFound(call: Promise<PlatformAnswer>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof PlatformError && error.platformStatus === 404) return false;
    throw error;
  }
}
