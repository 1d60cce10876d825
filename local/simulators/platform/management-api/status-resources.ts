/** The read-only status resources: running conferences, nodes, alarms, licences. */
import type { LiveConference } from "../events/live-conference.ts";
import { notFound } from "../model/api-error.ts";
import { naiveTimestamp } from "../model/clock.ts";
import { resourceUri } from "../model/resource-uri.ts";
import type { PlatformState } from "../platform-state.ts";
import { type Collection, createListing } from "./listing.ts";
import type { Resource } from "./resource.ts";

interface StatusRow {
  readonly id: string | number;
}

/** Returns the status resources by name. Rows are created on each call, because they are few and change constantly. */
export function statusResources(state: PlatformState): Map<string, Resource> {
  const { alarms, live } = state;
  const running = () => live.all().map(conferenceRow);
  const shards = () => live.all().flatMap(shardRows);
  const participants = () => live.all().flatMap(participantRows);
  return new Map([
    ["conference", statusResource("conference", running, ["name", "service_type", "start_time", "tag"])],
    ["conference_shard", statusResource("conference_shard", shards, ["name", "conference", "node", "tag"])],
    ["participant", statusResource("participant", participants, ["conference", "display_name", "role"])],
    ["alarm", statusResource("alarm", () => alarms.all(), ["name", "level", "node"])],
    ["worker_vm", statusResource("worker_vm", () => nodeRows(state), ["name"])],
    ["licensing", statusResource("licensing", () => [licensingRow(state)], [])],
  ]);
}

function statusResource<Row extends StatusRow>(name: string, rows: () => Row[], filters: string[]): Resource {
  const filterable = new Set(filters);
  const show = (row: Row) => ({ ...row, resource_uri: resourceUri(name, row.id, "status") });
  const collection: Collection<Row> = {
    rows,
    fields: { known: new Set(["id", ...filters]), filterable, sortable: filterable },
    values: (row, field) => [Reflect.get(row, field)],
    show,
  };
  return {
    list: createListing(collection),
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

function shardRows(live: LiveConference) {
  return [...live.startedAtByNode].map(([node, startedAt]) => ({
    ...conferenceRow(live),
    id: `${live.id}-${node}`,
    start_time: naiveTimestamp(startedAt),
    conference: live.name,
    node,
    system_location: "Local",
    is_direct: false,
    transcoding_enabled: true,
  }));
}

function participantRows(live: LiveConference) {
  return live.participants.map(({ uuid, display_name, role, node, connectedAt }) => ({
    id: uuid,
    call_uuid: uuid,
    conference: live.name,
    display_name,
    role,
    service_type: live.service_type,
    media_node: node,
    signalling_node: node,
    connect_time: naiveTimestamp(connectedAt),
  }));
}

function nodeRows({ clock, nodes }: PlatformState) {
  return [...nodes].map((address, index) => ({
    id: index + 1,
    configuration_id: index + 1,
    name: `node-${index + 1}`,
    address,
    node_type: "CONFERENCING",
    system_location: "Local",
    version: "37",
    last_updated: naiveTimestamp(clock.now()),
    last_attempted_contact: naiveTimestamp(clock.now()),
    sync_status: "SYNCED",
    maintenance_mode: false,
    media_load: 0,
  }));
}

function licensingRow({ behaviours, conferences, live }: PlatformState) {
  const portCount = live.all().reduce((sum, conference) => sum + conference.participants.length, 0);
  const vmrs = { vmr_count: conferences.size, vmr_total: behaviours.roomLimit ?? 1_000_000 };
  return { id: 1, port_count: portCount, port_total: 1000, audio_count: 0, audio_total: 1000, ...vmrs };
}
