/** The running conferences by node, and the events that their starts and ends cause. */
import { randomUUID } from "node:crypto";
import type { Clock } from "../model/clock.ts";
import { conferenceData, type EmitEvent, participantData } from "./events.ts";
import type { LiveConference, LiveParticipant } from "./live-conference.ts";

interface ConferenceStart {
  readonly name: string;
  readonly service_type: string;
  readonly tag: string;
  readonly nodes: readonly string[];
  /** How many join, on the first node. */
  readonly participants: number;
}

export function createLiveConferences(clock: Clock, emit: EmitEvent) {
  const byName = new Map<string, LiveConference>();

  const disconnect = (live: LiveConference, leaves: (participant: LiveParticipant) => boolean): boolean => {
    const leaving = live.participants.filter(leaves);
    live.participants = live.participants.filter((participant) => !leaving.includes(participant));
    for (const participant of leaving) {
      emit(participant.node, "participant_disconnected", participantData(participant, live, clock.now()));
    }
    return leaving.length > 0;
  };

  const add = (live: LiveConference, node: string, displayName: string): void => {
    const participant: LiveParticipant = {
      uuid: randomUUID(),
      display_name: displayName,
      role: live.participants.length === 0 ? "chair" : "guest",
      node,
      connectedAt: clock.now(),
    };
    live.participants = [...live.participants, participant];
    emit(node, "participant_connected", participantData(participant, live));
  };

  /** Starts the conference on those nodes that do not run it yet. */
  function start({ name, service_type, tag, nodes, participants }: ConferenceStart): LiveConference {
    const live = byName.get(name) ?? {
      id: randomUUID(),
      name,
      service_type,
      tag,
      startedAt: clock.now(),
      startedAtByNode: new Map<string, number>(),
      participants: [],
    };
    byName.set(name, live);
    for (const node of nodes) {
      if (live.startedAtByNode.has(node)) continue;
      live.startedAtByNode.set(node, clock.now());
      emit(node, "conference_started", conferenceData(live, clock.now()));
    }
    for (let index = 0; index < participants; index += 1)
      add(live, nodes[0] ?? "", `Participant ${live.participants.length + 1}`);
    return live;
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
      emit(node, "conference_ended", conferenceData(live, startedAt, clock.now()));
    }
    return true;
  }

  return {
    all: (): LiveConference[] => [...byName.values()],
    start,
    end,
    /** Lets one named participant join on a node, which starts the conference there if it is not running. */
    join: (
      room: Pick<ConferenceStart, "name" | "service_type" | "tag">,
      node: string,
      displayName: string,
    ) => {
      const live = start({ ...room, nodes: [node], participants: 0 });
      add(live, node, displayName);
      return live;
    },
    /** Disconnects a participant. The conference ends on each node that nobody is left on. Returns false if there is none. */
    leave: (name: string, displayName: string): boolean => {
      const live = byName.get(name);
      if (!live || !disconnect(live, (participant) => participant.display_name === displayName)) return false;
      const isEmpty = (node: string) => !live.participants.some((participant) => participant.node === node);
      const emptyNodes = [...live.startedAtByNode.keys()].filter(isEmpty);
      if (emptyNodes.length > 0) end(name, emptyNodes);
      return true;
    },
    clear: () => byName.clear(),
  };
}
