/** The platform in memory as the simulation sees it: its rooms, and a network whose requests can fail. */

import { parseMarker } from "../../src/lib/ownership/room.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import type {
  PlatformHttpResponse,
  PlatformRequest,
  PlatformTransport,
} from "../../src/lib/platform/transport.ts";
import type { MemoryPlatform } from "../../tools/simulators/platform/memory-platform.ts";
import type { Fault, Ports } from "./faults.ts";
import { requireTask, type Task } from "./faults.ts";
import type { Ledger, PlatformObserver, ShownRoom } from "./ledger.ts";

export type SimulatedPlatform = ReturnType<typeof createSimulatedPlatform>;

// So few that lists of a few rooms have several pages.
const maxPageSize = 5;

export function createSimulatedPlatform(platform: MemoryPlatform) {
  platform.setBehaviour({ maxPageSize });
  const { conferences, live } = platform.state;
  const addedWithoutMarker = new Set<string>();
  const find = (name: string) => {
    const row = conferences.findByName(name);
    return row && conferences.show(row);
  };

  /** Carries out one request and tells the observer what it changed. */
  async function carryOut(
    request: PlatformRequest,
    observer: PlatformObserver,
  ): Promise<PlatformHttpResponse> {
    const id = Number(/(\d+)\/$/.exec(request.path)?.[1]);
    const row = [...conferences.all()].find((other) => other.id === id);
    const before = row && conferences.show(row);
    const response = await platform.transport(request, "");
    if (response.status >= 300) return response;
    if (request.method === "GET") observer.onRead(request, response.body);
    const after = find(before?.name ?? String(request.body?.["name"]));
    if (request.method === "POST" && after) observer.onCreate(after);
    if (request.method === "PATCH" && before) observer.onUpdate(before, request.body ?? {});
    if (request.method === "DELETE" && before) observer.onDelete(before);
    return response;
  }

  return {
    rooms: platform.rooms,
    find,
    /** Adds a room of an operator or of another service. */
    add(fields: Record<string, unknown>): void {
      platform.seedRooms({ rows: [fields] });
      if (!parseMarker(String(fields["description"]))) addedWithoutMarker.add(String(fields["name"]));
    },
    addedWithoutMarker,
    remove: ({ id }: ShownRoom) => conferences.remove(String(id)),
    startConference: (name: string) => void platform.startConference({ name }),
    /** Returns false if the conference is not live. */
    endConference: (name: string) => live.end(name),
    /** The start of each live conference, in clock milliseconds, by name. */
    liveSince: (): ReadonlyMap<string, number> =>
      new Map(live.all().map(({ name, startedAt }) => [name, startedAt])),
    carryOut,
  };
}

/** Returns the network between a process and the platform, whose requests can fail. */
export function simulateNetwork(
  platform: SimulatedPlatform,
  ports: Ports,
  ledger: Ledger,
  timeoutSeconds: number,
): PlatformTransport {
  return async (request) => {
    const name = `${request.method} ${request.path}`;
    const task = requireTask();
    const finishRead = ledger.onPlatformRead(request, task);
    try {
      const response = await ports.call({
        label: () => `${name} ${JSON.stringify(request.query ?? request.body ?? "")}`,
        target: "platform",
        timeoutSeconds: request.timeoutSeconds ?? timeoutSeconds,
        effect: async () => platform.carryOut(request, ledger.platformObserver(task)),
        failure: (fault, isTimeout) => failureOf(name, fault, isTimeout, task),
      });
      const isRead = response.status < 300 && typeof response.body === "object";
      finishRead(isRead ? "response" : kindOfFailure(response.status));
      return response;
    } catch (error) {
      if (error instanceof PlatformError) finishRead(kindOfFailure(error.platformStatus));
      throw error;
    }
  };
}

const kindOfFailure = (status: number | undefined) =>
  [403, 404].includes(status ?? 0) ? "refused" : "unavailable";

function failureOf(name: string, fault: Fault, isTimeout: boolean, { random }: Task): PlatformError {
  type Details = Omit<ConstructorParameters<typeof PlatformError>[0], "message">;
  const fail = (what: string, details: Details) =>
    new PlatformError({ ...details, message: `${name}: ${what}` });
  if (fault === "not-sent") return fail("ECONNREFUSED", { outcome: "not-sent" });
  if (fault === "refused") return fail("status 403", { outcome: "refused", status: 403 });
  if (fault === "throttled") {
    const retryAfterSeconds = [undefined, 1, 30][random.integerBelow(3)];
    return fail("status 429", { outcome: "refused", status: 429, retryAfterSeconds });
  }
  if (isTimeout) return fail("ETIMEDOUT", { outcome: "unknown", isTimeout });
  const status = [undefined, 500, 502, 503][random.integerBelow(4)];
  return fail(`${status ?? "ECONNRESET"}`, { outcome: "unknown", status });
}
