/** Reads the state of the whole stack. */
import type { Connection } from "../../simulators/connection.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { openLocalQueues } from "../stack/local-queues.ts";
import type { Snapshot } from "./console-state.ts";
import { describeParts } from "./parts.ts";
import { toRoomRows } from "./room-rows.ts";
import type { Timeline } from "./timeline.ts";

// Without a response in this time, the console shows the storage as down.
const storageTimeoutSeconds = 3;

export interface SnapshotOptions {
  readonly connection: Connection;
  readonly stack: DevelopmentStack;
  readonly appState: () => AppState;
  /** The timeline that receives the host's log. */
  readonly timeline: Timeline;
}

/** Returns a function that takes a snapshot. */
export function openSnapshots({ connection, stack, appState, timeline }: SnapshotOptions) {
  const { provisioning } = openLocalQueues(connection.storageConnectionString, storageTimeoutSeconds);
  return async (): Promise<Snapshot> => {
    const isStorageDown = await provisioning.count().then(
      () => false,
      () => true,
    );
    const time = Date.now();
    const rooms = toRoomRows({
      ...connection,
      rooms: stack.platform.rooms(),
      conferences: stack.platform.switches().conferences,
      endings: timeline.endings(),
      now: time,
    });
    return { time, parts: describeParts(stack, appState(), isStorageDown), rooms };
  };
}
