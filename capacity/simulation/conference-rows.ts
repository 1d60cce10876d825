/** The platform's conferences in memory, and the part of its management API that the gateway uses. */
import type { PlatformRequest } from "../../src/lib/platform/exchange.ts";

export type ConferenceFields = Readonly<Record<string, unknown>>;

interface ConferenceRow extends ConferenceFields {
  readonly id: number;
  readonly name: string;
}

export interface Reply {
  readonly status: number;
  readonly data?: unknown;
}

export interface ConferenceRows {
  insert(fields: ConferenceFields): void;
  respond(request: PlatformRequest): Reply;
  count(): number;
}

interface Resource {
  readonly all: () => readonly unknown[];
  readonly find: (name: string) => unknown;
}

const conferencePath = "/api/admin/configuration/v1/conference/";
const livePath = "/api/admin/status/v1/conference/";

/** Creates an empty table. `live` holds the names of the running conferences. */
export function createConferenceRows(live: ReadonlySet<string>): ConferenceRows {
  const byId = new Map<number, ConferenceRow>();
  const byName = new Map<string, ConferenceRow>();
  let lastId = 0;

  function store(row: ConferenceRow): void {
    byId.set(row.id, row);
    byName.set(row.name, row);
  }

  function insert(fields: ConferenceFields): void {
    lastId += 1;
    store({ ...fields, id: lastId, name: String(fields["name"]) });
  }

  const resources: Readonly<Record<string, Resource>> = {
    [conferencePath]: { all: () => [...byId.values()], find: (name) => byName.get(name) },
    [livePath]: {
      all: () => Array.from(live, (name) => ({ name })),
      find: (name) => (live.has(name) ? { name } : undefined),
    },
  };

  /** Returns the rows of a resource, or the one with this name. No other resource has rows. */
  function rowsOf(path: string, name: string | number | undefined): readonly unknown[] {
    const resource = resources[path];
    if (name === undefined) return resource?.all() ?? [];
    const found = resource?.find(String(name));
    return found === undefined ? [] : [found];
  }

  function read(path: string, query: Readonly<Record<string, string | number>>): Reply {
    const rows = rowsOf(path, query["name"]);
    const limit = Number(query["limit"] ?? 20);
    const offset = Number(query["offset"] ?? 0);
    const end = offset + limit;
    const next = end < rows.length ? `${path}?limit=${limit}&offset=${end}&order_by=name` : null;
    const meta = { limit, offset, next, total_count: rows.length };
    return { status: 200, data: { meta, objects: rows.slice(offset, end) } };
  }

  function respond({ method, path: pathAndQuery, query = {}, body }: PlatformRequest): Reply {
    const [path = "", search] = pathAndQuery.split("?");
    if (method === "GET") return read(path, { ...query, ...Object.fromEntries(new URLSearchParams(search)) });
    const fields = typeof body === "object" ? { ...body } : {};
    if (method === "POST") {
      insert(fields);
      return { status: 201 };
    }
    const row = byId.get(Number(path.slice(conferencePath.length, -1)));
    if (!row) return { status: 404 };
    if (method === "PATCH") {
      store({ ...row, ...fields });
      return { status: 202 };
    }
    byId.delete(row.id);
    byName.delete(row.name);
    return { status: 204 };
  }

  return { insert, respond, count: () => byId.size };
}
