/** The platform in memory: its conferences, live conferences, and management API. */
import type { PlatformCall, PlatformResponse } from "../../src/lib/platform/client.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { maxDescriptionCharacters } from "../../src/lib/pool/room.ts";

export interface ConferenceRecord {
  readonly id: number;
  readonly name: string;
  readonly createdAt: number;
  description: string;
  tag: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface TableObserver {
  onCreate(row: ConferenceRecord): void;
  onUpdate(row: ConferenceRecord, change: Readonly<Record<string, unknown>>): void;
  onDelete(row: ConferenceRecord): void;
}

export interface ConferenceTable {
  rows(): readonly ConferenceRecord[];
  find(name: string): ConferenceRecord | undefined;
  insert(fields: Readonly<Record<string, unknown>>): ConferenceRecord;
  change(row: ConferenceRecord, fields: Readonly<Record<string, unknown>>): void;
  remove(row: ConferenceRecord): void;
  /** The start of each live conference, in scheduler milliseconds, by name. */
  readonly liveSince: Map<string, number>;
  /** Carries out one call of the management API. Throws PlatformError if the platform refuses it. */
  respond(call: PlatformCall, observer: TableObserver): PlatformResponse;
}

const conferencePath = "/api/admin/configuration/v1/conference/";
const livePath = "/api/admin/status/v1/conference/";
// A low limit, so lists of a few rooms have several pages.
const maxRowsPerPage = 5;

export function createConferenceTable(now: () => number): ConferenceTable {
  const byId = new Map<number, ConferenceRecord>();
  const byName = new Map<string, ConferenceRecord>();
  const liveSince = new Map<string, number>();
  let lastId = 0;

  function insert(fields: Readonly<Record<string, unknown>>): ConferenceRecord {
    lastId += 1;
    const { name, description = "", tag = "" } = fields;
    const row = {
      id: lastId,
      name: String(name),
      createdAt: now(),
      description: String(description),
      tag: String(tag),
      fields,
    };
    byId.set(row.id, row);
    byName.set(row.name, row);
    return row;
  }

  function remove(row: ConferenceRecord): void {
    byId.delete(row.id);
    byName.delete(row.name);
  }

  function change(row: ConferenceRecord, fields: Readonly<Record<string, unknown>>): void {
    if (typeof fields["description"] === "string") row.description = fields["description"];
    if (typeof fields["tag"] === "string") row.tag = fields["tag"];
  }

  function list(path: string, query: URLSearchParams): PlatformResponse {
    const rows = path === livePath ? liveRows() : [...byId.values()].map(toRow);
    const name = query.get("name");
    const found = rows
      .filter((row) => name === null || row.name === name)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const limit = Math.min(Number(query.get("limit") ?? 20), maxRowsPerPage);
    const offset = Number(query.get("offset") ?? 0);
    const end = offset + limit;
    const next = end < found.length ? `${path}?limit=${limit}&offset=${end}&order_by=name` : null;
    return {
      body: { meta: { limit, offset, next, total_count: found.length }, objects: found.slice(offset, end) },
    };
  }

  const liveRows = () => [...liveSince.keys()].map((name) => ({ id: name, name }));

  function respond(call: PlatformCall, observer: TableObserver): PlatformResponse {
    const url = new URL(call.path, "http://platform.invalid");
    for (const [key, value] of Object.entries(call.query ?? {})) url.searchParams.set(key, String(value));
    const path = url.pathname;
    if (call.method === "GET") {
      return path === conferencePath || path === livePath
        ? list(path, url.searchParams)
        : { body: { meta: { next: null }, objects: [] } };
    }
    const body = fieldsOf(call.body);
    if (call.method === "POST") {
      const name = String(body["name"]);
      if (byName.has(name)) throw refused(call, 400, { conference: { name: ["already exists."] } });
      observer.onCreate(insert(body));
      return { body: "" };
    }
    const row = byId.get(Number(path.slice(conferencePath.length, -1)));
    if (!row) throw refused(call, 404);
    if (call.method === "DELETE") {
      remove(row);
      observer.onDelete(row);
      return { body: "" };
    }
    const { description } = body;
    if (typeof description === "string" && description.length > maxDescriptionCharacters)
      throw refused(call, 400, { conference: { description: ["too long"] } });
    change(row, body);
    observer.onUpdate(row, body);
    return { body: "" };
  }

  return {
    rows: () => [...byId.values()],
    find: (name) => byName.get(name),
    insert,
    change,
    remove,
    liveSince,
    respond,
  };
}

function toRow({ id, name, description, tag, fields }: ConferenceRecord) {
  return { ...fields, id, name, description, tag, resource_uri: `${conferencePath}${id}/` };
}

function refused({ method, path }: PlatformCall, status: number, body?: unknown): PlatformError {
  return new PlatformError({
    outcome: "refused",
    status,
    message: `${method} ${path}: status ${status}`,
    body,
  });
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
