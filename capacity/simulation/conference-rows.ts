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

  /** All rows, or those with this name. */
  function rowsOf(path: string, name: string | null): readonly unknown[] {
    if (path === conferencePath)
      return name === null ? [...byId.values()] : [byName.get(name)].filter(Boolean);
    if (path !== livePath) return [];
    return name === null
      ? Array.from(live, (running) => ({ name: running }))
      : live.has(name)
        ? [{ name }]
        : [];
  }

  function read(path: string, query: URLSearchParams): Reply {
    const rows = rowsOf(path, query.get("name"));
    const limit = Number(query.get("limit") ?? 20);
    const offset = Number(query.get("offset") ?? 0);
    const end = offset + limit;
    const next = end < rows.length ? `${path}?limit=${limit}&offset=${end}&order_by=name` : null;
    const meta = { limit, offset, next, total_count: rows.length };
    return { status: 200, data: { meta, objects: rows.slice(offset, end) } };
  }

  function respond({ method, path, query = {}, body }: PlatformRequest): Reply {
    const url = new URL(path, "http://platform.invalid");
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value));
    if (method === "GET") return read(url.pathname, url.searchParams);
    const fields = typeof body === "object" ? { ...body } : {};
    if (method === "POST") {
      insert(fields);
      return { status: 201 };
    }
    const row = byId.get(Number(url.pathname.slice(conferencePath.length, -1)));
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
