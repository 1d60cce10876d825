/** The platform's `conference` configuration resource: find, list, create, change, delete. */
import * as z from "zod";
import type { PlatformAnswer, PlatformCall, PlatformClient } from "./client.ts";
import { PlatformError } from "./platform-error.ts";

/** One row of the platform. Only what we rely on is checked; every other field is kept as it came. */
const ConferenceRow = z.looseObject({
  id: z.int(),
  name: z.string(),
  service_type: z.string().catch("conference"),
  description: z.string().nullish().catch(null),
  tag: z.string().nullish().catch(null),
  aliases: z
    .array(z.looseObject({ alias: z.string().nullish() }))
    .nullish()
    .catch([]),
});
export type ConferenceRow = z.output<typeof ConferenceRow>;

const Page = z.object({
  meta: z.object({ next: z.string().nullish() }),
  objects: z.array(z.unknown()),
});

/** Fields for a write, in the platform's own form. */
export type ConferenceFields = Readonly<Record<string, unknown>>;

export type CallLimits = Pick<PlatformCall, "timeoutSeconds" | "startBefore">;

export interface Conferences {
  /** The conference with exactly this name. */
  findByName(name: string, limits?: CallLimits): Promise<ConferenceRow | undefined>;
  /** All conferences of every kind, page by page in the order of their names. */
  list(): Promise<ConferenceRow[]>;
  /** Makes a conference; a success says that it is stored, not that it is replicated to the nodes. */
  create(fields: ConferenceFields, limits?: CallLimits): Promise<void>;
  /** Changes fields; false when there is no such conference. */
  update(id: number, fields: ConferenceFields, limits?: CallLimits): Promise<boolean>;
  /** Deletes; false when it was gone already. */
  delete(id: number): Promise<boolean>;
}

export const conferencePath = "/api/admin/configuration/v1/conference/";
const rowsPerPage = 500;
const mostPages = 1000;

/** Every method throws PlatformError. */
export function createConferences(client: Pick<PlatformClient, "call">): Conferences {
  return {
    async findByName(name, limits) {
      const answer = await client.call({ method: "GET", path: conferencePath, query: { name }, ...limits });
      // The name is compared again: a parameter that the platform does not know gives an unfiltered list.
      return rowsOf(answer, conferencePath).find((row) => row.name === name);
    },

    async list() {
      const rows = new Map<number, ConferenceRow>();
      const first = { limit: rowsPerPage, order_by: "name" };
      let page = await client.call({ method: "GET", path: conferencePath, query: first });
      for (let pages = 1; ; pages++) {
        for (const row of rowsOf(page, conferencePath)) rows.set(row.id, row);
        const next = nextPath(page, conferencePath);
        if (next === undefined) return [...rows.values()];
        if (pages >= mostPages) throw unusable(conferencePath);
        page = await client.call({ method: "GET", path: next });
      }
    },

    async create(fields, limits) {
      await client.call({ method: "POST", path: conferencePath, body: fields, ...limits });
    },

    async update(id, fields, limits) {
      return isFound(
        client.call({ method: "PATCH", path: `${conferencePath}${id}/`, body: fields, ...limits }),
      );
    },

    async delete(id) {
      return isFound(client.call({ method: "DELETE", path: `${conferencePath}${id}/` }));
    },
  };
}

function rowsOf({ body }: PlatformAnswer, path: string): ConferenceRow[] {
  const page = Page.safeParse(body);
  if (!page.success) throw unusable(path);
  return page.data.objects.map((row) => {
    const checked = ConferenceRow.safeParse(row);
    if (!checked.success) throw unusable(path);
    return checked.data;
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
