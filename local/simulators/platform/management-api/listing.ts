/** Lists of the simulated platform: filtered, sorted, and paged with the platform's envelope. */
import { badRequest } from "../model/api-error.ts";
import { type Filter, type ListFields, matches, parseFilters } from "./filters.ts";

const defaultPageSize = 20;

export interface Collection<Row> {
  readonly rows: () => Iterable<Row>;
  /** Changes whenever `rows` would return something else. Without it, nothing is cached. */
  readonly version?: () => number;
  readonly fields: ListFields;
  /** The value of a field or of a related object's attribute; a to-many relation has several. */
  readonly values: (row: Row, field: string, attribute: string | undefined) => unknown[];
  /** The only rows that can satisfy this exact filter, if an index has them. */
  readonly narrow?: (filter: Filter) => Row[] | undefined;
  readonly show: (row: Row) => unknown;
}

export type Listing = (path: string, query: URLSearchParams, maxPageSize: number) => object;

/** Creates the handler of GET on a list. It throws 400 for invalid filters, orders, limits and offsets. */
export function createListing<Row>(collection: Collection<Row>): Listing {
  let remembered: { order: string; version: number; rows: Row[] } | undefined;

  function sorted(order: string): Row[] {
    const version = collection.version?.();
    if (remembered && remembered.order === order && remembered.version === version) return remembered.rows;
    const rows = sortRows([...collection.rows()], order, collection);
    if (version !== undefined) remembered = { order, version, rows };
    return rows;
  }

  return (path, query, maxPageSize) => {
    const filters = parseFilters(query, collection.fields);
    const order = query.get("order_by") ?? "";
    const narrowed = narrow(filters, collection);
    const candidates = narrowed ? sortRows(narrowed, order, collection) : sorted(order);
    const found = candidates.filter((row) =>
      filters.every((filter) => matches(filter, collection.values(row, filter.field, filter.attribute))),
    );
    const limit = pageSize(query.get("limit"), maxPageSize);
    const offset = wholeNumber("offset", query.get("offset")) ?? 0;
    const page = (start: number): string | null => {
      if (start < 0 || start >= found.length) return null;
      const params = new URLSearchParams(query);
      params.set("limit", String(limit));
      params.set("offset", String(start));
      return `${path}?${params.toString()}`;
    };
    return {
      meta: {
        limit,
        next: page(offset + limit),
        offset,
        previous: page(offset - limit),
        total_count: found.length,
      },
      objects: found.slice(offset, offset + limit).map((row) => collection.show(row)),
    };
  };
}

function narrow<Row>(filters: Filter[], collection: Collection<Row>): Row[] | undefined {
  for (const filter of filters) {
    const rows = filter.operator === "exact" ? collection.narrow?.(filter) : undefined;
    if (rows) return rows;
  }
  return undefined;
}

function sortRows<Row>(rows: Row[], order: string, collection: Collection<Row>): Row[] {
  if (order === "") return rows;
  const keys = order.split(",").map((key) => {
    const field = key.replace(/^-/, "");
    if (!collection.fields.sortable.has(field)) {
      throw badRequest(`No matching '${field}' field for ordering on.`);
    }
    return { field, direction: key.startsWith("-") ? -1 : 1 };
  });
  return rows.sort((left, right) => {
    for (const { field, direction } of keys) {
      const compared = compare(
        collection.values(left, field, undefined)[0],
        collection.values(right, field, undefined)[0],
      );
      if (compared !== 0) return compared * direction;
    }
    return 0;
  });
}

function compare(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null) return 1;
  if (right === null) return -1;
  if (typeof left === "string" && typeof right === "string") return left < right ? -1 : 1;
  return Number(left) - Number(right);
}

function pageSize(given: string | null, maximum: number): number {
  const limit = wholeNumber("limit", given) ?? defaultPageSize;
  return limit === 0 ? maximum : Math.min(limit, maximum);
}

function wholeNumber(name: string, given: string | null): number | undefined {
  if (given === null) return undefined;
  if (!/^\d{1,9}$/.test(given)) throw badRequest(`Invalid ${name} '${given}' provided.`);
  return Number(given);
}
