/** Samples the whole stack once a second. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../simulators/connection.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { openLocalQueues } from "../stack/local-queues.ts";
import type { HistoryPoint, Snapshot } from "./console-state.ts";
import { countRooms, isPoolEmpty, toRoomRows } from "./room-rows.ts";
import type { Timeline } from "./timeline.ts";
import { describeTroubles } from "./troubles.ts";

// Without a response in this time, the console shows the storage as down.
const storageTimeoutSeconds = 3;

export interface CollectorOptions {
  readonly connection: Connection;
  readonly stack: DevelopmentStack;
  readonly appState: () => AppState;
  /** The timeline that receives the host's log. */
  readonly timeline: Timeline;
  /** The time between two reads of the stack's state. The default is one second. */
  readonly intervalMilliseconds?: number;
  /** The number of points of the charts. The default is ten minutes of them. */
  readonly maxPoints?: number;
}

/** Takes a first sample, and then one after another. One that fails, for example because a part is stopping, is skipped. */
export async function startCollector(options: CollectorOptions) {
  const { connection, stack, appState, timeline, intervalMilliseconds = 1000, maxPoints = 600 } = options;
  const queues = openLocalQueues(connection.storageConnectionString, storageTimeoutSeconds);
  const stopping = new AbortController();
  let depths = [0, 0];

  async function take(): Promise<Snapshot> {
    const counting = [queues.provisioning.count(), queues.poison.count()];
    const read = await Promise.all(counting).catch(() => undefined);
    depths = read ?? depths;
    const [provisioning = 0, givenUp = 0] = depths;
    const time = Date.now();
    const rooms = toRoomRows({
      ...connection,
      rooms: stack.platform.rooms(),
      conferences: stack.platform.switches().conferences,
      endings: timeline.endings(),
      now: time,
    });
    const counts = countRooms(rooms, provisioning);
    const troubles = describeTroubles({
      stack,
      app: appState(),
      storageIsDown: read === undefined,
      givenUp,
      poolIsEmpty: isPoolEmpty(counts, connection.maxLevel),
      entries: timeline.entries(),
      now: time,
    });
    return { ...troubles, time, counts, poolLevel: connection.maxLevel, rooms };
  }

  let snapshot = await take();
  let history: readonly HistoryPoint[] = [];

  function add(newest: Snapshot): void {
    for (const part of Object.keys(newest.parts)) {
      const isDown = isPartDown(newest, part);
      if (isDown !== isPartDown(snapshot, part)) timeline.onPart(part, isDown);
    }
    const { time, isOutage, counts } = newest;
    history = [...history, { time, isOutage, counts }].slice(-maxPoints);
    snapshot = newest;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const newest = await take().catch(() => undefined);
      if (newest) add(newest);
      await delay(intervalMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    /** The newest sample, and those before it as points of the charts. */
    collected: () => ({ snapshot, history }),
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
}

function isPartDown({ parts }: Snapshot, part: string): boolean {
  return parts[part]?.startsWith("down") ?? false;
}
