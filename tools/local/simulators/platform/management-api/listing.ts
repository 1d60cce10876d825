/** Lists of the simulated platform: filtered and sorted by name, and paged with the platform's envelope. */
import { badRequest } from "../model/api-error.ts";

const defaultPageSize = 20;
/** What the gateway and the checks of this project ask for. The platform has more, and ignores unknown names. */
const parameters = new Set(["name", "limit", "offset", "order_by"]);

export interface Collection<Row> {
  readonly rows: () => Iterable<Row>;
  /** Changes whenever `rows` would return something else. Without it, nothing is cached. */
  readonly version?: () => number;
  /** Returns the only row that can have this name, if there is an index. */
  readonly findByName?: (name: string) => Row | undefined;
  readonly show: (row: Row) => unknown;
}

export type Listing = (path: string, query: URLSearchParams, maxPageSize: number) => object;

/** Creates the handler of GET on a list. It throws 400 for invalid filters, orders, limits and offsets. */
export function createListing<Row extends { readonly name: string }>(collection: Collection<Row>): Listing {
  const { rows, version = () => Number.NaN, findByName, show } = collection;
  let sorted: { version: number; rows: Row[] } | undefined;

  function sortedRows(): Row[] {
    if (sorted?.version !== version()) sorted = { version: version(), rows: [...rows()].sort(byName) };
    return sorted.rows;
  }

  function named(name: string): Row[] {
    const candidates = findByName ? [findByName(name)].flatMap((row) => row ?? []) : [...rows()];
    return candidates.filter((row) => row.name === name);
  }

  return (path, query, maxPageSize) => {
    const unknown = [...query.keys()].find((parameter) => !parameters.has(parameter));
    if (unknown !== undefined) throw badRequest(`The simulator does not know the parameter '${unknown}'.`);
    const [name, order] = [query.get("name"), query.get("order_by")];
    if (order !== null && order !== "name") throw badRequest(`The simulator does not sort by '${order}'.`);
    const all = order === null ? [...rows()] : sortedRows();
    const found = name === null ? all : named(name);
    const limit = pageSize(query.get("limit"), maxPageSize);
    const offset = wholeNumber("offset", query.get("offset")) ?? 0;
    const page = (start: number): string | null => {
      if (start < 0 || start >= found.length) return null;
      const params = new URLSearchParams(query);
      params.set("limit", String(limit));
      params.set("offset", String(start));
      return `${path}?${params.toString()}`;
    };
    const [next, previous] = [page(offset + limit), page(offset - limit)];
    return {
      meta: { limit, next, offset, previous, total_count: found.length },
      objects: found.slice(offset, offset + limit).map(show),
    };
  };
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
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
