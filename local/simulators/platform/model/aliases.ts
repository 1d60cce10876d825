/** The aliases of all rooms: unique across the platform and indexed by room. */
import { type Clock, naiveTimestamp } from "./clock.ts";
import { resourceUri } from "./resource-uri.ts";
import { createTable, type Table } from "./table.ts";

export interface Alias {
  readonly id: number;
  readonly alias: string;
  readonly description: string;
  readonly conferenceId: number;
  readonly creation_time: string;
}

export interface Aliases {
  readonly table: Table<Alias>;
  readonly ofConference: (conferenceId: number) => Alias[];
  readonly add: (conferenceId: number, alias: string, description: string) => Alias;
  /** Replaces a row. A different `conferenceId` moves the alias to that room. */
  readonly change: (alias: Alias) => void;
  readonly remove: (id: number) => void;
  readonly removeOfConference: (conferenceId: number) => void;
  readonly clear: () => void;
}

export function createAliases(clock: Clock): Aliases {
  const table = createTable<Alias>((row) => row.alias);
  const idsByConference = new Map<number, Set<number>>();

  const link = ({ id, conferenceId }: Alias): void => {
    const ids = idsByConference.get(conferenceId) ?? new Set();
    idsByConference.set(conferenceId, ids.add(id));
  };
  const unlink = (id: number): void => {
    idsByConference.get(table.get(id)?.conferenceId ?? -1)?.delete(id);
  };
  const remove = (id: number): void => {
    unlink(id);
    table.remove(id);
  };
  const ofConference = (conferenceId: number): Alias[] =>
    [...(idsByConference.get(conferenceId) ?? [])].flatMap((id) => table.get(id) ?? []);

  return {
    table,
    ofConference,
    add: (conferenceId, alias, description) => {
      const creation_time = naiveTimestamp(clock.now());
      const row = table.put({ id: table.nextId(), alias, description, conferenceId, creation_time });
      link(row);
      return row;
    },
    change: (row) => {
      unlink(row.id);
      link(table.put(row));
    },
    remove,
    removeOfConference: (conferenceId) => {
      for (const { id } of ofConference(conferenceId)) remove(id);
      idsByConference.delete(conferenceId);
    },
    clear: () => {
      table.clear();
      idsByConference.clear();
    },
  };
}

/** Returns an alias as embedded in its conference: without `resource_uri`. */
export function embeddedAlias({ id, alias, description, conferenceId, creation_time }: Alias) {
  return { alias, conference: resourceUri("conference", conferenceId), creation_time, description, id };
}
