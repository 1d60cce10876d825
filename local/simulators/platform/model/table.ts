/** A table of rows in memory with integer ids and one unique key, found by either without a scan. */

export interface Table<Row extends { id: number }> {
  readonly size: number;
  /** Grows with every change, so that a reader can tell whether what it remembers is still true. */
  readonly version: number;
  all: () => IterableIterator<Row>;
  get: (id: number) => Row | undefined;
  /** Upper and lower case count as the same key. */
  findByKey: (key: string) => Row | undefined;
  nextId: () => number;
  /** Adds the row, or replaces the one with its id. The caller has made sure that its key is free. */
  put: (row: Row) => Row;
  remove: (id: number) => void;
  clear: () => void;
}

/** An empty table; ids start at 1 and are never used again, not even after `clear`. */
export function createTable<Row extends { id: number }>(keyOf: (row: Row) => string): Table<Row> {
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
    get version() {
      return version;
    },
    all: () => rows.values(),
    get: (id) => rows.get(id),
    findByKey: (key) => rows.get(idByKey.get(key.toLowerCase()) ?? -1),
    nextId: () => ++lastId,
    put: (row) => {
      forgetKey(row.id);
      rows.set(row.id, row);
      idByKey.set(keyOf(row).toLowerCase(), row.id);
      version += 1;
      return row;
    },
    remove: (id) => {
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
