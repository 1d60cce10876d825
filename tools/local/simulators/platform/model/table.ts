/** An in-memory table with integer ids and one unique key; lookups by either do not scan. */

/** Creates an empty table. Ids start at 1 and are never reused, not even after `clear`. */
export function createTable<Row extends { id: number }>(keyOf: (row: Row) => string) {
  const rows = new Map<number, Row>();
  const idByKey = new Map<string, number>();
  let lastId = 0;
  let version = 0;

  const forgetKey = (id: number): void => {
    const previous = rows.get(id);
    if (previous) idByKey.delete(keyOf(previous).toLowerCase());
  };

  return {
    get size() {
      return rows.size;
    },
    /** Increases with every change, so a reader knows whether its cached rows are current. */
    get version() {
      return version;
    },
    all: () => rows.values(),
    get: (id: number) => rows.get(id),
    /** Keys are case-insensitive. */
    findByKey: (key: string) => rows.get(idByKey.get(key.toLowerCase()) ?? -1),
    nextId: () => ++lastId,
    /** Adds the row, or replaces the one with its id. The caller must ensure that the key is free. */
    put: (row: Row) => {
      forgetKey(row.id);
      rows.set(row.id, row);
      idByKey.set(keyOf(row).toLowerCase(), row.id);
      version += 1;
      return row;
    },
    remove: (id: number) => {
      forgetKey(id);
      rows.delete(id);
      version += 1;
    },
    clear: () => {
      rows.clear();
      idByKey.clear();
      version += 1;
    },
  };
}
