/** The tables of the small resources that rooms refer to: locations, themes, automatically dialed participants. */
import { type Clock, naiveTimestamp } from "./clock.ts";
import { createTable, type Table } from "./table.ts";

export type SimpleRow = { id: number } & Record<string, unknown>;
export type SimpleTables = Record<
  "system_location" | "ivr_theme" | "automatic_participant",
  Table<SimpleRow>
>;

/** The fields that a row has if its body leaves them out. */
export const simpleDefaults: Record<keyof SimpleTables, Record<string, unknown>> = {
  system_location: { description: "", event_sinks: [] },
  ivr_theme: { uuid: "", last_updated: null },
  automatic_participant: {
    protocol: "sip",
    call_type: "video",
    role: "guest",
    keep_conference_alive: "keep_conference_alive_if_multiple",
    routing: "manual",
    system_location: null,
    streaming: false,
    dtmf_sequence: "",
    remote_display_name: "",
    presentation_url: "",
    description: "",
  },
};

/** Creates the three tables, each with one row, id 1, for rooms to refer to. */
export function createSimpleTables(clock: Clock): SimpleTables {
  const creation_time = naiveTimestamp(clock.now());
  const createOne = (name: keyof SimpleTables, keyField: string, key: string): Table<SimpleRow> => {
    const table = createTable<SimpleRow>((row) => String(row[keyField]));
    table.put({ ...simpleDefaults[name], [keyField]: key, creation_time, id: table.nextId() });
    return table;
  };
  return {
    system_location: createOne("system_location", "name", "Local"),
    ivr_theme: createOne("ivr_theme", "name", "Standard"),
    automatic_participant: createOne(
      "automatic_participant",
      "alias",
      "sip:queue@contact-centre.example.com",
    ),
  };
}
