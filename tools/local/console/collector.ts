/** Samples the whole stack once a second. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../simulators/connection.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { openLocalQueues } from "../stack/local-queues.ts";
import { parts, type Snapshot } from "./console-state.ts";
import { toRoomRows } from "./room-rows.ts";
import type { Timeline } from "./timeline.ts";
import { describeTroubles } from "./troubles.ts";

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
  const queues = openLocalQueues(connection.storageConnectionString);
  const stopping = new AbortController();
  const down = new Set<string>();
  let depths = { provisioning: 0, poison: 0 };

  async function take(): Promise<Snapshot> {
    const readDepths = async () => ({
      provisioning: await queues.provisioning.count(),
      poison: await queues.poison.count(),
    });
    const read = await readDepths().catch(() => undefined);
    depths = read ?? depths;
    const now = Date.now();
    const rooms = toRoomRows({
      ...connection,
      rooms: stack.platform.rooms(),
      conferences: stack.platform.switches().conferences,
      lastStates: timeline.lastStates(),
      now,
    });
    // Requested rooms that do not exist yet count as being provisioned.
    const counts = {
      provisioning: depths.provisioning,
      pooled: 0,
      assigned: 0,
      live: 0,
      ended: 0,
      deleting: 0,
    };
    for (const { state } of rooms) counts[state] += 1;
    const troubles = describeTroubles({
      stack,
      app: appState(),
      storageIsDown: read === undefined,
      givenUp: depths.poison,
      entries: timeline.entries(),
      now,
    });
    const isOutage = troubles.some((trouble) => trouble.isOutage);
    return { time: now, isOutage, counts, poolTarget: connection.maxRooms, rooms, troubles };
  }

  /** The timeline learns from the app itself when that is down. */
  function reportOutages({ troubles }: Snapshot): void {
    for (const part of parts.filter((name) => name !== "Gateway")) {
      const isDown = troubles.some((trouble) => trouble.part === part && trouble.isOutage);
      if (isDown !== down.has(part)) timeline.onPart(part, isDown);
      if (isDown) down.add(part);
      else down.delete(part);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const snapshot = await take().catch(() => undefined);
      if (snapshot) {
        reportOutages(snapshot);
        onSnapshot(snapshot);
      }
      await delay(intervalMilliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
