/** Lists of the simulated platform: filtered and sorted by name, and paged with the platform's envelope. */
import { badRequest } from "./api-error.ts";

const defaultPageSize = 20;
/** The parameters that the gateway and this project's checks use. The platform has more, and ignores unknown names. */
const parameters = new Set(["name", "limit", "offset", "order_by"]);

export type Listing = (path: string, query: URLSearchParams, maxPageSize: number) => object;

/** Creates the handler of GET on a list. It throws 400 for invalid filters, orders, limits and offsets. */
export function createListing<Row extends { readonly name: string }>(
  rows: () => Iterable<Row>,
  show: (row: Row) => unknown,
): Listing {
  return (path, query, maxPageSize) => {
    const unknown = [...query.keys()].find((parameter) => !parameters.has(parameter));
    if (unknown !== undefined) throw badRequest(`The simulator does not know the parameter '${unknown}'.`);
    const name = query.get("name");
    const order = query.get("order_by");
    if (order !== null && order !== "name") throw badRequest(`The simulator does not sort by '${order}'.`);
    const found = [...rows()].filter((row) => name === null || row.name === name);
    if (order !== null) found.sort((one, other) => (one.name < other.name ? -1 : 1));
    const limit = Math.min(wholeNumber("limit", query) ?? defaultPageSize, maxPageSize) || maxPageSize;
    const offset = wholeNumber("offset", query) ?? 0;
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
      objects: found.slice(offset, offset + limit).map(show),
    };
  };
}

function wholeNumber(name: string, query: URLSearchParams): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  if (!/^\d{1,9}$/.test(given)) throw badRequest(`Invalid ${name} '${given}' provided.`);
  return Number(given);
}
