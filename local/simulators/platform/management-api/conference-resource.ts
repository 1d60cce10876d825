/** The `conference` resource: its list, its indexes, its reads. */
import { type Conference, showConference } from "../model/conference.ts";
import { conferenceFields } from "../model/conference-fields.ts";
import { idOfUri } from "../model/resource-uri.ts";
import type { PlatformState } from "../platform-state.ts";
import { createConference, findConference, removeConference, updateConference } from "./conference-writes.ts";
import type { Filter } from "./filters.ts";
import { createListing } from "./listing.ts";
import type { Resource } from "./resource.ts";

/** Rooms, indexed by name and by alias. */
export function conferenceResource(state: PlatformState): Required<Resource> {
  const { aliases, conferences, simple } = state;
  const show = (room: Conference) => showConference(room, aliases, simple);
  return {
    list: createListing<Conference>({
      rows: conferences.all,
      version: () => conferences.version,
      fields: conferenceFields,
      values: (room, field, attribute) => conferenceValues(state, room, field, attribute),
      narrow: (filter) => narrowConferences(state, filter),
      show,
    }),
    show: (id) => show(findConference(state, id)),
    create: (body) => createConference(state, body),
    update: (id, body, partial) => updateConference(state, id, body, partial),
    remove: (id) => removeConference(state, id),
  };
}

function narrowConferences(
  { aliases, conferences }: PlatformState,
  filter: Filter,
): Conference[] | undefined {
  if (filter.field === "name") return [conferences.findByKey(filter.operand)].flatMap((room) => room ?? []);
  if (filter.field !== "aliases" || filter.attribute !== "alias") return undefined;
  const owner = aliases.table.findByKey(filter.operand)?.conferenceId;
  return [conferences.get(owner ?? -1)].flatMap((room) => room ?? []);
}

function conferenceValues(
  { aliases, simple }: PlatformState,
  room: Conference,
  field: string,
  attribute: string | undefined,
): unknown[] {
  if (field === "aliases") return aliases.ofConference(room.id).map((row) => read(row, attribute ?? "id"));
  if (field === "scheduled_conferences_count") return [room.scheduled_conferences.length];
  const value = read(room, field);
  if (field === "ivr_theme" || field === "system_location") {
    const related = typeof value === "string" ? simple[field].get(idOfUri(value)) : undefined;
    return [related ? read(related, attribute ?? "id") : null];
  }
  return [value];
}

const read = (row: object, field: string): unknown => (field in row ? Reflect.get(row, field) : null);
