/** Samples the whole stack once a second and keeps the last ten minutes for the charts. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../simulators/connection.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { openQueueContents } from "../stack/queue-contents.ts";
import {
  type HistoryPoint,
  type QueueDepths,
  type RoomRow,
  type RoomState,
  type Snapshot,
  stateTitles,
  type TimelineEntry,
} from "./console-state.ts";
import { toRoomRows } from "./room-rows.ts";
import { readStackData } from "./stack-data.ts";
import type { Timeline } from "./timeline.ts";

const maxPoints = 600;

export interface CollectorOptions {
  readonly connection: Connection;
  readonly stack: DevelopmentStack;
  readonly appState: () => AppState;
  /** The timeline that receives the host's log. */
  readonly timeline: Timeline;
  /** The time between two reads of the stack's state. The default is one second. */
  readonly intervalMilliseconds?: number;
  readonly onSnapshot: (snapshot: Snapshot) => void;
}

/** Starts sampling. A sample that fails, for example because a part is stopping, is skipped. */
export function startCollector(options: CollectorOptions) {
  const { connection, stack, appState, timeline, onSnapshot, intervalMilliseconds = 1000 } = options;
  const queues = openQueueContents(connection.storageConnectionString, { maxTries: 1, tryTimeoutInMs: 2000 });
  const history: HistoryPoint[] = [];
  const stopping = new AbortController();
  let rows: ReadonlyMap<string, RoomRow> = new Map();
  let latest: Snapshot | undefined;

  let depths: QueueDepths = { pool: 0, provisioning: 0, deletion: 0, poison: 0 };
  const readDepths = async (): Promise<QueueDepths> => ({
    pool: await queues.depth("pool"),
    provisioning: await queues.depth("provisioning"),
    deletion: await queues.depth("deletion"),
    poison: await queues.depth("poison"),
  });

  async function take(): Promise<Snapshot> {
    const seen = await readDepths().catch(() => undefined);
    const storageIsDown = seen === undefined;
    depths = seen ?? depths;
    const data = readStackData(stack);
    const time = Date.now();
    const { queuedForDeletionAt } = timeline;
    const rooms = toRoomRows({ ...connection, ...data, queuedForDeletionAt, now: time }, rows);
    for (const entry of roomChanges(rooms, rows, time)) timeline.add(entry);
    rows = new Map(rooms.map((row) => [row.name, row]));
    const gateway = appState();
    return {
      time,
      poolLevel: rooms.filter(({ state }) => state === "pooled").length,
      isOutage: gateway.state !== "up" || data.surroundings.platformDown !== null || storageIsDown,
      poolTarget: connection.maxRooms,
      counts: countStates(rooms, depths.provisioning),
      queues: depths,
      rooms,
      gateway,
      surroundings: { ...data.surroundings, storageIsDown },
    };
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const snapshot = await take().catch(() => undefined);
      if (snapshot) {
        for (const entry of outageChanges(snapshot, latest)) timeline.add(entry);
        latest = snapshot;
        const { time, poolLevel, isOutage, counts } = snapshot;
        history.push({ time, poolLevel, isOutage, counts });
        history.splice(0, history.length - maxPoints);
        onSnapshot(snapshot);
      }
      await delay(intervalMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    history: (): readonly HistoryPoint[] => history,
    latest: (): Snapshot | undefined => latest,
    /** Resolves when no sample is in progress. */
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Requested rooms that do not exist yet count as being provisioned. */
function countStates(rooms: readonly RoomRow[], requested: number): Record<RoomState, number> {
  const counts = { provisioning: requested, pooled: 0, assigned: 0, live: 0, ended: 0, deleting: 0 };
  for (const { state } of rooms) counts[state] += 1;
  return counts;
}

/** Returns an entry for each part that went down or came back since the last sample. */
function outageChanges(now: Snapshot, before: Snapshot | undefined): TimelineEntry[] {
  const past = before && partsDown(before);
  return partsDown(now).flatMap(([name, isDown], index) => {
    if (isDown === (past?.[index]?.[1] ?? false)) return [];
    const title = `${name} ${isDown ? "down" : "up again"}`;
    const { time } = now;
    return {
      id: `${title} ${time}`,
      time,
      kind: "outage",
      tone: isDown ? "bad" : "good",
      title,
      steps: [],
      rooms: [],
    };
  });
}

function partsDown({ surroundings }: Snapshot): [name: string, isDown: boolean][] {
  return [
    ["Platform", surroundings.platformDown !== null],
    ["Storage", surroundings.storageIsDown],
    ["Token issuer", surroundings.issuerIsDown],
    ["Contact centre", surroundings.contactCentreFaults > 0],
  ];
}

function roomChanges(
  rooms: readonly RoomRow[],
  previous: ReadonlyMap<string, RoomRow>,
  now: number,
): TimelineEntry[] {
  const present = new Set(rooms.map(({ name }) => name));
  const changes = rooms.flatMap((room) => {
    const before = previous.get(room.name);
    const { name, state, since, madeAt, assignedAt } = room;
    // A state can end before the next sample, but the marker says when it began.
    const isMadeUnseen = madeAt !== undefined && !before && state !== "provisioning";
    const isAssignedUnseen =
      assignedAt !== undefined && before?.assignedAt === undefined && state !== "assigned";
    return [
      ...(isMadeUnseen ? [stateEntry(name, "provisioning", madeAt)] : []),
      ...(isAssignedUnseen ? [stateEntry(name, "assigned", assignedAt)] : []),
      // The last participant left before the conference ended, although both are seen in one look.
      ...(before ? newIn(before, room) : []).map((who) =>
        roomEntry(name, `${who} left`, before?.state === state ? now : Math.min(since - 1, now)),
      ),
      ...(before?.state === state ? [] : [stateEntry(name, state, Math.min(since, now))]),
      ...newIn(room, before).map((who) => roomEntry(name, `${who} joined`, now)),
    ];
  });
  const gone = [...previous.keys()].filter((name) => !present.has(name));
  return [...changes, ...gone.map((name) => stateEntry(name, "gone", now))];
}

/** Returns the participants of the first conference who are not in the second. */
function newIn(one: RoomRow, other: RoomRow | undefined): string[] {
  const known = new Set(other?.participants.map(({ name }) => name));
  return one.participants.map(({ name }) => name).filter((name) => !known.has(name));
}

function roomEntry(room: string, title: string, time: number): TimelineEntry {
  return {
    id: `${room} ${title} ${time}`,
    time,
    kind: "state",
    tone: "good",
    title,
    steps: [],
    rooms: [room],
  };
}

/** Returns the entry of a room that entered this state, or that is gone. */
function stateEntry(room: string, state: RoomState | "gone", time: number): TimelineEntry {
  return { ...roomEntry(room, state === "gone" ? "Deleted" : stateTitles[state], time), state };
}
