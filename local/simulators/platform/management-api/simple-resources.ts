/** The small resources that rooms refer to: locations, themes, automatically dialled participants. */
import { ApiError, badRequest, invalid, notFound } from "../model/api-error.ts";
import { type Clock, naiveTimestamp } from "../model/clock.ts";
import { resourceUri } from "../model/resource-uri.ts";
import { type SimpleRow, type SimpleTables, simpleDefaults } from "../model/simple-tables.ts";
import type { Table } from "../model/table.ts";
import { createListing } from "./listing.ts";
import type { Resource } from "./resource.ts";

const keyFields = { system_location: "name", ivr_theme: "name", automatic_participant: "alias" } as const;

/**
 * Create, read, update and delete for one of the tables. Unknown fields are stored as given.
 * `unlink` receives the path of a deleted row.
 */
export function simpleResource(
  name: keyof SimpleTables,
  table: Table<SimpleRow>,
  clock: Clock,
  unlink?: (uri: string) => void,
): Required<Resource> {
  const keyField = keyFields[name];
  const known = new Set(["id", keyField, ...Object.keys(simpleDefaults[name])]);
  const searchable = new Set([keyField, "description"]);
  const show = (row: SimpleRow) => ({ ...row, resource_uri: resourceUri(name, row.id) });
  const find = (id: string): SimpleRow => {
    const row = table.get(Number(id));
    if (!row) throw notFound();
    return row;
  };
  const save = (row: SimpleRow): SimpleRow => {
    const key = row[keyField];
    if (typeof key !== "string" || key === "") {
      throw invalid(name, { [keyField]: ["This field is required."] });
    }
    // Only rooms store which participants they dial, so a link cannot be half written.
    if (row["conference"] !== undefined) throw badRequest("Link participants from the conference.");
    const other = table.findByKey(key);
    if (other && other.id !== row.id) throw invalid(name, { [keyField]: [`${key} already exists.`] });
    return table.put(row);
  };

  return {
    list: createListing<SimpleRow>({
      rows: table.all,
      version: () => table.version,
      fields: { known, filterable: searchable, sortable: searchable },
      values: (row, field) => [row[field] ?? null],
      show,
    }),
    show: (id) => show(find(id)),
    create: (body) => {
      const creation_time = naiveTimestamp(clock.now());
      return save({ ...simpleDefaults[name], ...body, creation_time, id: table.nextId() }).id;
    },
    update: (id, body, partial) => {
      const { id: ownId, creation_time } = find(id);
      const kept = partial ? find(id) : simpleDefaults[name];
      save({ ...kept, ...body, creation_time, id: ownId });
    },
    remove: (id) => {
      const { id: ownId } = find(id);
      if (!unlink) throw new ApiError(400, { error: "Rooms may refer to it: the simulator keeps it." });
      table.remove(ownId);
      unlink(resourceUri(name, ownId));
    },
  };
}
