/** Samples the whole stack once a second. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../simulators/connection.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { openLocalQueues } from "../stack/local-queues.ts";
import type { Snapshot } from "./console-state.ts";
import { toRoomRows } from "./room-rows.ts";
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
  readonly onSnapshot: (snapshot: Snapshot) => void;
}

/** Starts sampling. A sample that fails, for example because a part is stopping, is skipped. Returns what ends it. */
export function startCollector(options: CollectorOptions): () => Promise<void> {
  const { connection, stack, appState, timeline, onSnapshot, intervalMilliseconds = 1000 } = options;
  const queues = openLocalQueues(connection.storageConnectionString, storageTimeoutSeconds);
  const stopping = new AbortController();
  let depths = [0, 0];
  let down: readonly string[] = [];

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
      lastStates: timeline.lastStates(),
      now: time,
    });
    // Requested rooms that do not exist yet count as being provisioned.
    const counts = { provisioning, pooled: 0, assigned: 0, live: 0, ended: 0, deleting: 0 };
    for (const { state } of rooms) counts[state] += 1;
    const entries = timeline.entries();
    const storageIsDown = read === undefined;
    const troubles = describeTroubles({ stack, app: appState(), storageIsDown, givenUp, entries, now: time });
    return { ...troubles, time, counts, poolTarget: connection.maxRooms, rooms };
  }

  function reportOutages(now: readonly string[]): void {
    for (const part of now) if (!down.includes(part)) timeline.onPart(part, true);
    for (const part of down) if (!now.includes(part)) timeline.onPart(part, false);
    down = now;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const snapshot = await take().catch(() => undefined);
      if (snapshot) reportOutages(snapshot.down);
      if (snapshot) onSnapshot(snapshot);
      await delay(intervalMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
