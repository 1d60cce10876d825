/** The `data` of the events that conferencing nodes post. */
import { unixSeconds } from "../model/clock.ts";
import type { LiveConference, LiveParticipant } from "./live-conference.ts";

/** Wraps an event in an envelope with a sequence number, and posts it. */
export type EmitEvent = (node: string, event: string, data: unknown) => void;

/** A conference as one node reports it. Times are in milliseconds; `endedAt` is set only at its end. */
export function conferenceData(live: LiveConference, startedAt: number, endedAt?: number) {
  return {
    name: live.name,
    service_type: live.service_type,
    tag: live.tag,
    start_time: unixSeconds(startedAt),
    ...(endedAt === undefined ? {} : { end_time: unixSeconds(endedAt) }),
    is_started: endedAt === undefined,
    is_locked: false,
    guests_muted: false,
  };
}

/** A participant; `endedAt` (milliseconds) is set only when it has left. The room's name is in `conference`. */
export function participantData(participant: LiveParticipant, live: LiveConference, endedAt?: number) {
  const { uuid, display_name, role, node, connectedAt } = participant;
  const duration = ((endedAt ?? connectedAt) - connectedAt) / 1000;
  return {
    uuid,
    call_id: uuid,
    conversation_id: uuid,
    conference: live.name,
    display_name,
    role,
    source_alias: `${uuid}@example.com`,
    destination_alias: live.name,
    connect_time: unixSeconds(connectedAt),
    service_type: live.service_type,
    service_tag: live.tag,
    media_node: node,
    signalling_node: node,
    ...call,
    ...flags,
    ...(endedAt !== undefined && {
      disconnect_reason: "Call disconnected",
      duration,
      end_time: unixSeconds(endedAt),
    }),
  };
}

// The same for every simulated participant.
const place = {
  system_location: "Local",
  proxy_node: "",
  remote_address: "10.0.0.99",
  vendor: "Local simulator",
};
const media = {
  encryption: "On",
  has_media: true,
  rx_bandwidth: 1264,
  tx_bandwidth: 1264,
  related_uuids: [],
};
const call = { protocol: "WebRTC", call_direction: "in", call_tag: "", ...place, ...media };
const muting = { is_muted: false, is_client_muted: false };
const flags = { ...muting, is_presenting: false, is_streaming: false, is_idp_authenticated: false };
