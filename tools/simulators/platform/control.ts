/** Controls the simulated platform: in process, and over HTTP under `/control/`. */
import * as z from "zod";
import type { LoopbackRequest, Reply } from "../services/loopback-server.ts";
import { ApiError } from "./api-error.ts";
import type { DownMode, PlatformState } from "./state.ts";

const firstNode = "10.0.0.21";
const downSchema = z.strictObject({ mode: z.enum(["refuse", "reset", "503"]).default("refuse") });
const latencySchema = z.strictObject({ milliseconds: z.number().min(0) });
const startSchema = z.strictObject({
  name: z.string(),
  nodes: z.array(z.string()).min(1).default([firstNode]),
  participants: z.int().min(0).default(0),
});
const participantSchema = z.strictObject({ name: z.string(), participant: z.string() });
const joinSchema = participantSchema.extend({
  /** Checked if it is given. */
  pin: z.string().min(1).optional(),
});
const endSchema = z.strictObject({ name: z.string(), nodes: z.array(z.string()).optional() });
const alarmSchema = z.strictObject({
  name: z.string(),
  level: z.string().default("warning"),
  node: z.string().default(firstNode),
});
const seedSchema = z.strictObject({
  /** Creates this many rooms, `<namePrefix>00000`, `<namePrefix>00001`, …, each with an alias equal to its name. */
  count: z.int().min(0).default(0),
  namePrefix: z.string().default("room-"),
  /** Additional fields of the counted rooms. */
  fields: z.record(z.string(), z.unknown()).default({}),
  /** Rooms as bodies of a POST. */
  rows: z.array(z.record(z.string(), z.unknown())).default([]),
  /** Adds one service of each other kind on the list: test call, reception, auditorium and so on. */
  mixed: z.boolean().default(false),
});

/** A control that checks its input and adds what is usual. */
const checked =
  <Schema extends z.ZodType, Result>(schema: Schema, run: (given: z.output<Schema>) => Result) =>
  (given: z.input<Schema>): Result =>
    run(schema.parse(given));

type PlatformControl = ReturnType<typeof createControl>;

/**
 * Creates the control functions. They throw a ZodError for invalid input and an ApiError if the platform refuses.
 * `setListening` closes the Management API's socket, or opens it again.
 */
export function createControl(
  state: PlatformState,
  setListening: (listens: boolean) => Promise<void> = async () => undefined,
) {
  const { alarms, conferences, faults, live, requestLog, outage, sink, switches } = state;
  const goUp = async (): Promise<void> => {
    if (outage.mode === "refuse") await setListening(true);
    outage.mode = undefined;
  };
  return {
    goDown: async (mode: DownMode = "refuse"): Promise<void> => {
      await goUp();
      outage.mode = mode;
      if (mode === "refuse") await setListening(false);
    },
    goUp,
    /** How the platform is down, or undefined while it is up. */
    downMode: () => outage.mode,
    /** Delays each response. */
    setLatency: checked(latencySchema, ({ milliseconds }) => {
      switches.latencyMilliseconds = milliseconds;
    }),
    addFault: faults.add,
    clearFaults: faults.clear,
    setBehaviour: (changed: Partial<Pick<typeof switches, "maxPageSize" | "nodeDelaySeconds">>): void => {
      Object.assign(switches, changed);
    },
    startConference: checked(startSchema, ({ name, nodes, participants }) => {
      const unknown = { name, service_type: "conference", tag: "", pin: "", guest_pin: "" };
      const room = conferences.nodeView.findByName(name) ?? unknown;
      const { id } = live.start(room, nodes);
      for (let number = 1; number <= participants; number++)
        live.join(room, nodes[0] ?? firstNode, `Participant ${number}`);
      return id;
    }),
    /** Throws 404 if no such conference is running. */
    endConference: checked(endSchema, ({ name, nodes }) => {
      if (!live.end(name, nodes)) throw new ApiError(404, { error: "No such conference is running." });
    }),
    /** Throws 404 if the nodes do not know the room, and 403 if the PIN is wrong. */
    joinConference: checked(joinSchema, ({ name, participant, pin }) => {
      // A running conference keeps what it began with: it needs the room no longer, and a change does not affect it.
      const running = live.all().find((conference) => conference.name === name);
      const room = running ?? conferences.nodeView.findByName(name);
      if (!room) {
        const isStored = conferences.findByName(name) !== undefined;
        throw new ApiError(404, {
          error: isStored ? "The conferencing nodes do not know this room yet." : "There is no such room.",
        });
      }
      if (pin !== undefined && pin !== room.pin && pin !== room.guest_pin)
        throw new ApiError(403, { error: "The PIN is wrong." });
      return live.join(room, firstNode, participant).id;
    }),
    /** Throws 404 if the participant is in no such conference. */
    leaveConference: checked(participantSchema, ({ name, participant }) => {
      if (!live.leave(name, participant)) throw new ApiError(404, { error: "No such participant." });
    }),
    raiseAlarm: checked(alarmSchema, alarms.raise),
    clearAlarms: alarms.clear,
    /**
     * Stores rooms by the same rules as the Management API; the nodes know them at once. Returns the ids of the new
     * rooms.
     */
    seedRooms: checked(seedSchema, (seed): number[] => {
      const counted = Array.from({ length: seed.count }, (_, index) => {
        const name = `${seed.namePrefix}${String(index).padStart(5, "0")}`;
        const pins = { pin: "482913", allow_guests: true, guest_pin: "771204" };
        return { ...pins, ...seed.fields, name, aliases: [{ alias: name }] };
      });
      const rows = [...(seed.mixed ? mixedRows : []), ...counted, ...seed.rows];
      return rows.map((row) => {
        const id = conferences.create(row);
        conferences.nodeView.learn(conferences.find(String(id)));
        return id;
      });
    }),
    rooms: () => [...conferences.all()].map((room) => conferences.show(room)),
    roomCount: conferences.size,
    /** The running conferences, the alarms and the switches that are on. */
    switches: () => ({
      faults: faults.all(),
      latencyMilliseconds: switches.latencyMilliseconds,
      alarms: alarms.all(),
      conferences: live.all().map(({ name, startedAt, participants }) => ({
        name,
        startedAt,
        participants: Array.from(participants, ({ display_name }) => display_name),
      })),
    }),
    requests: requestLog.counts,
    sinkState: sink.state,
    /** Without it, no event is posted. */
    configureSink: sink.configure,
    sinkIdle: sink.idle,
    /** Empties the platform and resets every switch. */
    reset: state.reset,
  };
}

/**
 * Creates the handler. It returns 200 with JSON, 204 if there is no result, and 400 with the reason for invalid input.
 */
export function createControlRoutes(control: PlatformControl): (request: LoopbackRequest) => Promise<Reply> {
  // Each function checks its input.
  const routes: Record<string, (body: never) => unknown> = {
    "POST /control/latency": control.setLatency,
    "POST /control/faults": control.addFault,
    "DELETE /control/faults": control.clearFaults,
    "POST /control/down": async (body) => control.goDown(downSchema.parse(body).mode),
    "POST /control/up": control.goUp,
    "POST /control/conferences/start": control.startConference,
    "POST /control/conferences/join": control.joinConference,
    "POST /control/conferences/leave": control.leaveConference,
    "POST /control/conferences/end": control.endConference,
    "POST /control/alarms": control.raiseAlarm,
    "DELETE /control/alarms": control.clearAlarms,
    "GET /control/sink": control.sinkState,
  };

  return async ({ method, url, body }) => {
    const run = routes[`${method} ${url.pathname.replace(/\/$/, "")}`];
    if (!run) return { status: 404, body: { error: "There is no such control." } };
    try {
      const input = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
      const result = await run(input as never);
      return result === undefined ? { status: 204 } : { status: 200, body: result };
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: error.body };
      if (error instanceof z.ZodError) return { status: 400, body: { error: z.prettifyError(error) } };
      if (error instanceof SyntaxError) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };
}

const mixedRows: Record<string, unknown>[] = [
  { name: "Test call", service_type: "test_call", aliases: [{ alias: "test-call" }] },
  { name: "Reception", service_type: "two_stage_dialing", match_string: "(.*)", host_view: null },
  { name: "Auditorium", service_type: "lecture", pin: "908172", aliases: [{ alias: "auditorium" }] },
  { name: "Announcement", service_type: "media_playback", on_completion: '{"disconnect": true}' },
  { name: "Personal room", sync_tag: "directory-1", aliases: [{ alias: "personal.room@example.com" }] },
  {
    name: "Scheduled meeting",
    scheduled_conferences: ["/api/admin/configuration/v1/scheduled_conference/1/"],
  },
];
