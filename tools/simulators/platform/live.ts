/** Running conferences by node, the events that they cause, and alarms. */
import { randomUUID } from "node:crypto";
import { naiveTimestamp } from "./conference-fields.ts";

interface LiveParticipant {
  readonly display_name: string;
  readonly node: string;
}

export interface LiveConference {
  readonly id: string;
  readonly name: string;
  readonly service_type: string;
  readonly tag: string;
  readonly pin: string;
  readonly guest_pin: string;
  readonly startedAt: number;
  /** When the conference started as seen by each node, in milliseconds since 1970. */
  readonly startedAtByNode: Map<string, number>;
  readonly participants: Set<LiveParticipant>;
}

/** The part of a room that a conference keeps until its end. */
type Room = Pick<LiveConference, "name" | "service_type" | "tag" | "pin" | "guest_pin">;

/** Queues an event of a node for the event sink. */
export type EmitEvent = (node: string, event: string, data: unknown) => void;

export function createLiveConferences(now: () => number, emit: EmitEvent) {
  const byName = new Map<string, LiveConference>();

  /** Starts the conference on those nodes that do not run it yet. */
  function start(room: Room, nodes: readonly string[]): LiveConference {
    const live = byName.get(room.name) ?? {
      ...room,
      id: randomUUID(),
      startedAt: now(),
      startedAtByNode: new Map<string, number>(),
      participants: new Set<LiveParticipant>(),
    };
    byName.set(room.name, live);
    for (const node of nodes) {
      if (live.startedAtByNode.has(node)) continue;
      live.startedAtByNode.set(node, now());
      emit(node, "conference_started", conferenceData(live, now()));
    }
    return live;
  }

  /** Disconnects these participants. Returns false if there are none. */
  function disconnect(live: LiveConference, leaves: (participant: LiveParticipant) => boolean): boolean {
    const leaving = [...live.participants].filter(leaves);
    for (const participant of leaving) {
      live.participants.delete(participant);
      emit(participant.node, "participant_disconnected", participantData(participant, live));
    }
    return leaving.length > 0;
  }

  /** Ends the conference on these nodes, by default on all. Returns false if it was not running. */
  function end(name: string, nodes?: readonly string[]): boolean {
    const live = byName.get(name);
    if (!live) return false;
    for (const node of nodes ?? [...live.startedAtByNode.keys()]) {
      const startedAt = live.startedAtByNode.get(node);
      if (startedAt === undefined) continue;
      disconnect(live, (participant) => participant.node === node);
      live.startedAtByNode.delete(node);
      if (live.startedAtByNode.size === 0) byName.delete(name);
      emit(node, "conference_ended", conferenceData(live, startedAt, now()));
    }
    return true;
  }

  return {
    all: (): LiveConference[] => [...byName.values()],
    start,
    end,
    /** Lets one named participant join on a node, which starts the conference there if it is not running. */
    join: (room: Room, node: string, displayName: string): LiveConference => {
      const live = start(room, [node]);
      const participant = { display_name: displayName, node };
      live.participants.add(participant);
      emit(node, "participant_connected", participantData(participant, live));
      return live;
    },
    /**
     * Disconnects a participant. The conference ends on each node without participants. Returns false if there is
     * no such participant.
     */
    leave: (name: string, displayName: string): boolean => {
      const live = byName.get(name);
      if (!live || !disconnect(live, ({ display_name }) => display_name === displayName)) return false;
      const busyNodes = Array.from(live.participants, ({ node }) => node);
      return end(
        name,
        [...live.startedAtByNode.keys()].filter((node) => !busyNodes.includes(node)),
      );
    },
    clear: () => byName.clear(),
  };
}

/** A conference as one node reports it. Times are in milliseconds; `endedAt` is set only at its end. */
function conferenceData({ name, service_type, tag }: LiveConference, startedAt: number, endedAt?: number) {
  return {
    name,
    service_type,
    tag,
    start_time: startedAt / 1000,
    ...(endedAt !== undefined && { end_time: endedAt / 1000 }),
    is_started: endedAt === undefined,
  };
}

/** A participant, with the room's name in `conference`. The platform sends many more fields. */
function participantData({ display_name, node }: LiveParticipant, { name, tag }: LiveConference) {
  return { conference: name, display_name, service_tag: tag, media_node: node };
}

interface RaisedAlarm {
  readonly name: string;
  readonly level: string;
  readonly node: string;
}

export function createAlarms(now: () => number) {
  const alarms: (RaisedAlarm & { readonly id: number; readonly time_raised: string })[] = [];
  let lastId = 0;
  return {
    all: () => [...alarms],
    /** One alarm per name and node; raising it again has no effect. Returns its id. */
    raise: (given: RaisedAlarm): number => {
      const raised = alarms.find(({ name, node }) => name === given.name && node === given.node);
      if (raised) return raised.id;
      alarms.push({ ...given, id: ++lastId, time_raised: naiveTimestamp(now()) });
      return lastId;
    },
    clear: (): void => void alarms.splice(0),
  };
}
