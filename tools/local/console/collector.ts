/** Looks at the whole stack once a second and keeps the last ten minutes for the charts. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../stack/connection.ts";
import { openQueueContents } from "../stack/queue-contents.ts";
import {
  type HistoryPoint,
  type RoomRow,
  type RoomState,
  type Snapshot,
  stateTitles,
  type TimelineEntry,
} from "./console-state.ts";
import { readControlData } from "./control-data.ts";
import { summarizeLatency } from "./create-latency.ts";
import { toRoomRows } from "./room-rows.ts";
import type { Timeline } from "./timeline.ts";

const intervalMilliseconds = 1000;
const maxPoints = 600;

/** Starts to look. A look that fails, because a part is stopping for example, is skipped. */
export function startCollector(
  connection: Connection,
  timeline: Timeline,
  onSnapshot: (snapshot: Snapshot) => void,
) {
  const queues = openQueueContents(connection.storageConnectionString);
  const history: HistoryPoint[] = [];
  const stopping = new AbortController();
  let rows: ReadonlyMap<string, RoomRow> = new Map();
  let latest: Snapshot | undefined;

  async function take(): Promise<Snapshot> {
    const [pool, provisioning, deletion, poison, control] = await Promise.all([
      queues.depth("pool"),
      queues.depth("provisioning"),
      queues.depth("deletion"),
      queues.depth("poison"),
      readControlData(connection),
    ]);
    const time = Date.now();
    const { queuedForDeletionAt } = timeline;
    const rooms = toRoomRows({ ...connection, ...control, queuedForDeletionAt, now: time }, rows);
    for (const entry of stateChanges(rooms, rows, time)) timeline.add(entry);
    rows = new Map(rooms.map((row) => [row.name, row]));
    return {
      time,
      poolLevel: rooms.filter(({ state }) => state === "pooled").length,
      poolTarget: connection.maxRooms,
      counts: countStates(rooms, provisioning),
      queues: { pool, provisioning, deletion, poison },
      rooms,
      surroundings: control.surroundings,
      createLatency: summarizeLatency(timeline.createDurations()),
      metricsRow: control.metricsRow,
    };
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const snapshot = await take().catch(() => undefined);
      if (snapshot) {
        latest = snapshot;
        const { time, poolLevel, counts } = snapshot;
        history.push({ time, poolLevel, counts });
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
    /** Resolves when no look is under way any more. */
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

function stateChanges(
  rooms: readonly RoomRow[],
  previous: ReadonlyMap<string, RoomRow>,
  now: number,
): TimelineEntry[] {
  const present = new Set(rooms.map(({ name }) => name));
  const changes = rooms.flatMap((room) => {
    const before = previous.get(room.name);
    const { state, since, madeAt, assignedAt } = room;
    // A state can be over before the next look, but the marker says when it began.
    const isMadeUnseen = madeAt !== undefined && !before && state !== "provisioning";
    const isAssignedUnseen =
      assignedAt !== undefined && before?.assignedAt === undefined && state !== "assigned";
    return [
      ...(isMadeUnseen ? [stateEntry(room.name, "provisioning", madeAt)] : []),
      ...(isAssignedUnseen ? [stateEntry(room.name, "assigned", assignedAt)] : []),
      ...(before?.state === state ? [] : [stateEntry(room.name, state, Math.min(since, now))]),
    ];
  });
  const gone = [...previous.keys()].filter((name) => !present.has(name));
  return [...changes, ...gone.map((name) => stateEntry(name, undefined, now))];
}

/** Returns the entry of a room that entered this state, or, without one, that is gone. */
function stateEntry(name: string, state: RoomState | undefined, time: number): TimelineEntry {
  return {
    id: `${name} ${state ?? "gone"} ${time}`,
    time,
    kind: "state",
    tone: "good",
    title: state ? stateTitles[state] : "Deleted",
    steps: [],
    rooms: [name],
    ...(state && { state }),
  };
}
