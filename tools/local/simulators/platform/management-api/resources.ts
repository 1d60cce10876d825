/** The resources of the simulated Management API: rooms, and the status of running conferences and alarms. */
import type { LiveConference } from "../events/live-conference.ts";
import { notFound } from "../model/api-error.ts";
import { naiveTimestamp } from "../model/clock.ts";
import { type Conference, showConference } from "../model/conference.ts";
import { resourceUri } from "../model/resource-uri.ts";
import type { PlatformState } from "../platform-state.ts";
import { createConference, findConference, removeConference, updateConference } from "./conference-writes.ts";
import { createListing, type Listing } from "./listing.ts";

/** The methods of a resource; a missing one returns 405. */
export interface Resource {
  readonly list: Listing;
  /** Returns one object as the platform shows it. Throws 404 if there is none. */
  readonly show: (id: string) => object;
  readonly create?: (body: Record<string, unknown>) => number;
  /** Keeps the fields that the body leaves out. */
  readonly update?: (id: string, body: Record<string, unknown>) => void;
  readonly remove?: (id: string) => void;
}

/** Returns the resources by family and name. */
export function createResources(state: PlatformState): Readonly<Record<string, Resource>> {
  const { alarms, live } = state;
  return {
    "configuration/conference": conferenceResource(state),
    "status/conference": statusResource("conference", () => live.all().map(conferenceRow)),
    "status/alarm": statusResource("alarm", () => alarms.all()),
  };
}

function conferenceResource(state: PlatformState): Resource {
  const { aliases, conferences } = state;
  const show = (room: Conference) => showConference(room, aliases);
  return {
    list: createListing<Conference>({
      rows: conferences.all,
      version: () => conferences.version,
      findByName: conferences.findByKey,
      show,
    }),
    show: (id) => show(findConference(state, id)),
    create: (body) => createConference(state, body),
    update: (id, body) => updateConference(state, id, body),
    remove: (id) => removeConference(state, id),
  };
}

/** Rows are created on each call, because they are few and change constantly. */
function statusResource<Row extends { readonly id: string | number; readonly name: string }>(
  resource: string,
  rows: () => Row[],
): Resource {
  const show = (row: Row) => ({ ...row, resource_uri: resourceUri(resource, row.id, "status") });
  return {
    list: createListing({ rows, show }),
    show: (id) => {
      const row = rows().find((candidate) => String(candidate.id) === id);
      if (!row) throw notFound();
      return show(row);
    },
  };
}

function conferenceRow({ id, name, service_type, tag, startedAt }: LiveConference) {
  const start_time = naiveTimestamp(startedAt);
  const flags = { is_started: true, is_locked: false, guests_muted: false, direct_media_available: false };
  return { id, name, service_type, tag, start_time, ...flags };
}
