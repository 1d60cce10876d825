/** Controls the simulated platform, in process or through the control API. */
import * as z from "zod";
import type { sinkChangesSchema } from "../events/event-post.ts";
import { ApiError } from "../model/api-error.ts";
import { showConference } from "../model/conference.ts";
import type { SimulatorOptions } from "../platform-options.ts";
import { initialBehaviours, type PlatformState } from "../platform-state.ts";
import type { behaviourChangesSchema } from "../switches/behaviours.ts";
import { faultSchema, latencySchema } from "../switches/faults.ts";
import { seedRooms, seedSchema } from "./seed.ts";

export const startSchema = z.strictObject({
  name: z.string(),
  nodes: z.array(z.string()).min(1).default(["10.0.0.21"]),
  participants: z.int().min(0).default(0),
});
export const joinSchema = z.strictObject({
  name: z.string(),
  participant: z.string(),
  node: z.string().default("10.0.0.21"),
});
export const leaveSchema = z.strictObject({ name: z.string(), participant: z.string() });
export const endSchema = z.strictObject({ name: z.string(), nodes: z.array(z.string()).optional() });
export const alarmSchema = z.strictObject({
  name: z.string(),
  level: z.string().default("warning"),
  details: z.string().default(""),
  node: z.string().default("10.0.0.21"),
});

export type PlatformControl = ReturnType<typeof createControl>;

/** Creates the control functions. They throw a ZodError for invalid input and an ApiError if the platform refuses. */
export function createControl(state: PlatformState, options: SimulatorOptions) {
  const { aliases, alarms, behaviours, clock, conferences, faults, live, requestLog, sink } = state;
  const isReplicated = (since: number) => clock.now() - since >= behaviours.replicationSeconds * 1000;

  return {
    setLatency: (latency: z.input<typeof latencySchema>) => faults.setLatency(latencySchema.parse(latency)),
    /** Returns the fault's id. */
    addFault: (fault: z.input<typeof faultSchema>) => faults.add(faultSchema.parse(fault)),
    clearFaults: (id?: number) => faults.clear(id),
    setBehaviour: (changes: z.output<typeof behaviourChangesSchema>) => {
      Object.assign(behaviours, changes);
    },
    advanceClock: (seconds: number) => clock.advance(seconds),
    startConference: (given: z.input<typeof startSchema>) => {
      const { name, nodes, participants } = startSchema.parse(given);
      const { service_type = "conference", tag = "" } = conferences.findByKey(name) ?? {};
      return live.start({ name, service_type, tag, nodes, participants }).id;
    },
    /** Throws 404 if no such conference is running. */
    endConference: (given: z.input<typeof endSchema>) => {
      const { name, nodes } = endSchema.parse(given);
      if (!live.end(name, nodes)) throw new ApiError(404, { error: "No such conference is running." });
    },
    joinConference: (given: z.input<typeof joinSchema>) => {
      const { name, participant, node } = joinSchema.parse(given);
      const room = conferences.findByKey(name);
      if (!room) throw new ApiError(404, { error: "There is no such room." });
      const { service_type, tag } = room;
      return live.join({ name, service_type, tag }, node, participant).id;
    },
    /** Throws 404 if the participant is in no such conference. */
    leaveConference: (given: z.input<typeof leaveSchema>) => {
      const { name, participant } = leaveSchema.parse(given);
      if (!live.leave(name, participant)) throw new ApiError(404, { error: "No such participant." });
    },
    raiseAlarm: (alarm: z.input<typeof alarmSchema>) => alarms.raise(alarmSchema.parse(alarm)).id,
    clearAlarms: (name?: string) => alarms.clear(name),
    /** Returns the ids of the new rooms. */
    seedRooms: (seed: z.input<typeof seedSchema>) => seedRooms(state, seedSchema.parse(seed)),
    /** Every configured room, and deleted ones while the conferencing nodes still know them. */
    rooms: () => {
      const configured = [...conferences.all()].map((room) => ({
        ...showConference(room, aliases),
        name: room.name,
        configured: true,
        replicated: isReplicated(room.changedAt),
      }));
      const deleted = [...state.deletions].flatMap(([name, since]) =>
        isReplicated(since) ? [] : { name, configured: false, replicated: true },
      );
      return [...configured, ...deleted];
    },
    /** The running conferences, the alarms and the switches that are on. */
    switches: () => ({
      ...faults.state(),
      clockOffsetSeconds: clock.offsetSeconds(),
      alarms: alarms.all(),
      conferences: live.all().map(({ name, startedAtByNode, participants }) => ({
        name,
        nodes: [...startedAtByNode.keys()],
        participants: participants.map(({ display_name, node }) => ({ name: display_name, node })),
      })),
    }),
    roomCount: () => conferences.size,
    requests: () => requestLog.counts(),
    clearRequests: () => requestLog.clear(),
    sinkState: () => {
      const { settings, nodes } = sink.state();
      const sum = (key: "queued" | "delivered" | "failedAttempts") =>
        nodes.reduce((total, node) => total + node[key], 0);
      return {
        url: settings?.url,
        queued: sum("queued"),
        delivered: sum("delivered"),
        failedAttempts: sum("failedAttempts"),
        stoppedNodes: nodes.filter((node) => node.stopped).map((node) => node.node),
        nodes,
      };
    },
    configureSink: (changes: z.output<typeof sinkChangesSchema>) => {
      sink.configure(changes);
    },
    /** Resolves when every node has posted its queued events or has stopped. */
    sinkIdle: () => sink.idle(),
    /** Empties the platform and resets every switch to the start options. */
    reset: () => {
      conferences.clear();
      aliases.clear();
      live.clear();
      alarms.clear();
      faults.clear();
      faults.clearLatency();
      sink.clear();
      requestLog.clear();
      state.rateLimit.clear();
      state.deletions.clear();
      Object.assign(behaviours, initialBehaviours(options));
    },
  };
}
