/** Samples the whole stack once a second. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../simulators/connection.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { openLocalQueues } from "../stack/local-queues.ts";
import type { Snapshot } from "./console-state.ts";
import { describeParts } from "./parts.ts";
import { countRooms, toRoomRows } from "./room-rows.ts";
import type { Timeline } from "./timeline.ts";

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
}

/** Takes a first sample, and then one after another. One that fails, for example because a part is stopping, is skipped. */
export async function startCollector(options: CollectorOptions) {
  const { connection, stack, appState, timeline, intervalMilliseconds = 1000 } = options;
  const queues = openLocalQueues(connection.storageConnectionString, storageTimeoutSeconds);
  const stopping = new AbortController();
  let requested = 0;

  async function take(): Promise<Snapshot> {
    const read = await queues.provisioning.count().catch(() => undefined);
    requested = read ?? requested;
    const time = Date.now();
    const rooms = toRoomRows({
      ...connection,
      rooms: stack.platform.rooms(),
      conferences: stack.platform.switches().conferences,
      endings: timeline.endings(),
      now: time,
    });
    const parts = describeParts(stack, appState(), read === undefined);
    return { time, parts, counts: countRooms(rooms, requested), poolLevel: connection.maxLevel, rooms };
  }

  let snapshot = await take();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      snapshot = await take().catch(() => snapshot);
      await delay(intervalMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    snapshot: () => snapshot,
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
}
