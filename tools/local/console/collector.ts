/** Samples the whole stack once a second and keeps the last ten minutes for the charts. */
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "../../simulators/connection.ts";
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { Fault } from "../../simulators/faults.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { openQueueContents } from "../stack/queue-contents.ts";
import type { HistoryPoint, RoomRow, RoomState, Snapshot, Surroundings } from "./console-state.ts";
import { toRoomRows } from "./room-rows.ts";
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
  const partsDown = new Set<string>();
  let depths = { provisioning: 0, poison: 0 };
  let latest: Snapshot | undefined;

  async function take(): Promise<Snapshot> {
    const readDepths = async () => ({
      provisioning: await queues.depth("provisioning"),
      poison: await queues.depth("poison"),
    });
    const seen = await readDepths().catch(() => undefined);
    depths = seen ?? depths;
    const surroundings = surroundingsOf(stack, seen === undefined);
    const time = Date.now();
    const { conferences } = stack.platform.switches();
    const { endedAt } = timeline;
    const rooms = toRoomRows({
      ...connection,
      rooms: stack.platform.rooms(),
      conferences,
      endedAt,
      now: time,
    });
    const gateway = appState();
    return {
      time,
      isOutage: gateway.state !== "up" || surroundings.platformDown !== null || surroundings.storageIsDown,
      poolTarget: connection.maxRooms,
      givenUp: depths.poison,
      counts: countStates(rooms, depths.provisioning),
      rooms,
      gateway,
      surroundings,
    };
  }

  function reportParts({
    platformDown,
    storageIsDown,
    issuerIsDown,
    contactCentreFaults,
  }: Surroundings): void {
    const parts: [name: string, isDown: boolean][] = [
      ["Platform", platformDown !== null],
      ["Storage", storageIsDown],
      ["Token issuer", issuerIsDown],
      ["Contact centre", contactCentreFaults > 0],
    ];
    for (const [name, isDown] of parts) {
      if (isDown === partsDown.has(name)) continue;
      if (isDown) partsDown.add(name);
      else partsDown.delete(name);
      timeline.onPart(name, isDown);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const snapshot = await take().catch(() => undefined);
      if (snapshot) {
        reportParts(snapshot.surroundings);
        latest = snapshot;
        const { time, isOutage, counts } = snapshot;
        history.push({ time, isOutage, counts });
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

function surroundingsOf(stack: DevelopmentStack, storageIsDown: boolean): Surroundings {
  const { platform, issuer, contactCentre } = stack;
  const { faults, latencyMilliseconds, alarms } = platform.switches();
  return {
    platformDown: platform.downMode() ?? null,
    storageIsDown,
    platformFaults: faults.map(describeFault),
    platformLatencyMilliseconds: latencyMilliseconds,
    alarms: alarms.map(({ name }) => name),
    eventsWaiting: platform.sinkState().queued,
    issuerIsDown: issuer.isDown(),
    contactCentreFaults: contactCentre.faultCount(),
  };
}

/** Returns for example `PATCH with status 403 (3 more)`. */
function describeFault({ method, pathPattern, kind, status, when, count }: Fault): string {
  const path = pathPattern === undefined ? "" : ` ${pathPattern}`;
  const results = {
    status: `status ${status}`,
    html500: "status 500",
    reset: "a reset",
    timeout: "a timeout",
  };
  const isExecuted = when === "after" ? ", although they take effect" : "";
  const left = count === undefined ? "" : ` (${count} more)`;
  return `${method ?? "all calls"}${path} with ${results[kind]}${isExecuted}${left}`;
}
