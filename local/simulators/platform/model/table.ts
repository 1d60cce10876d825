/** An in-memory table with integer ids and one unique key; lookups by either do not scan. */

export interface Table<Row extends { id: number }> {
  readonly size: number;
  /** Increases with every change, so a reader knows whether its cached rows are current. */
  readonly version: number;
  all: () => IterableIterator<Row>;
  get: (id: number) => Row | undefined;
  /** Keys are case-insensitive. */
  findByKey: (key: string) => Row | undefined;
  nextId: () => number;
  /** Adds the row, or replaces the one with its id. The caller must ensure that the key is free. */
  put: (row: Row) => Row;
  remove: (id: number) => void;
  clear: () => void;
}

/** Creates an empty table. Ids start at 1 and are never reused, not even after `clear`. */
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
