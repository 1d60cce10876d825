/** The platform in memory as the simulation sees it: its rooms, and a client whose calls can fail. */

import { parseMarker } from "../../src/lib/ownership/room.ts";
import {
  bodyOf,
  type PlatformCall,
  type PlatformClient,
  type PlatformResponse,
} from "../../src/lib/platform/client.ts";
import { PlatformError, responseFailure } from "../../src/lib/platform/errors.ts";
import { createLimiter } from "../../src/lib/platform/limiter.ts";
import type { PlatformRequest } from "../../src/lib/platform/transport.ts";
import type { Clock, RandomSource } from "../../src/lib/ports.ts";
import { createMemoryPlatform } from "../../tools/simulators/platform/memory-platform.ts";
import type { Fault, Ports } from "./faults.ts";
import { requireTask, type Task } from "./faults.ts";
import type { Ledger, PlatformObserver, ShownRoom } from "./ledger.ts";

type SimulatedPlatform = ReturnType<typeof createSimulatedPlatform>;

// Low limits, so lists of a few rooms have several pages, and claims wait for each other.
const maxPageSize = 5;
const maxConcurrency = 2;

export function createSimulatedPlatform(now: () => number) {
  const platform = createMemoryPlatform(now);
  platform.setBehaviour({ maxPageSize });
  const { conferences, live } = platform.state;
  const addedWithoutMarker = new Set<string>();
  const find = (name: string) => {
    const row = conferences.findByName(name);
    return row && conferences.show(row);
  };

  /** Carries out one request and tells the observer what it changed. Throws PlatformError if the platform refuses it. */
  async function carryOut(request: PlatformRequest, observer: PlatformObserver): Promise<PlatformResponse> {
    const id = Number(/(\d+)\/$/.exec(request.path)?.[1]);
    const row = [...conferences.all()].find((other) => other.id === id);
    const before = row && conferences.show(row);
    const response = await platform.transport(request, "");
    if (response.status >= 300) throw responseFailure(request, response);
    const after = find(before?.name ?? String(request.body?.["name"]));
    if (request.method === "POST" && after) observer.onCreate(after);
    if (request.method === "PATCH" && after) observer.onUpdate(after, request.body ?? {});
    if (request.method === "DELETE" && before) observer.onDelete(before);
    return { body: response.body };
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
    change: ({ id }: ShownRoom, fields: Record<string, unknown>) => conferences.update(String(id), fields),
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

export interface SimulatedClientOptions {
  readonly platform: SimulatedPlatform;
  readonly ports: Ports;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Of calls that name no timeout. */
  readonly timeoutSeconds: number;
}

/** Creates a client with the timeouts and failures of the real one. */
export function createSimulatedClient(options: SimulatedClientOptions): PlatformClient {
  const { platform, ports, ledger, clock, random } = options;

  async function call(given: PlatformCall): Promise<PlatformResponse> {
    const request = { ...given, body: bodyOf(given) };
    const name = `${request.method} ${request.path}`;
    if (request.startBefore !== undefined && clock.now() >= request.startBefore) {
      throw new PlatformError({
        outcome: "not-sent",
        isTimeout: true,
        message: `${name}: too late to send it`,
      });
    }
    const task = requireTask();
    const finishRead = ledger.onPlatformRead(request, task);
    try {
      const response = await ports.call({
        label: () => `${name} ${JSON.stringify(request.query ?? request.body ?? "")}`,
        target: "platform",
        timeoutSeconds: request.timeoutSeconds ?? options.timeoutSeconds,
        effect: async () => platform.carryOut(request, ledger.platformObserver(task)),
        failure: (fault, isTimeout) => failureOf(name, fault, isTimeout, task),
        malformedResponse: { body: "<html>Please wait</html>" },
      });
      finishRead(typeof response.body === "object" ? "response" : "unavailable");
      return response;
    } catch (error) {
      if (error instanceof PlatformError)
        finishRead([403, 404].includes(error.platformStatus ?? 0) ? "refused" : "unavailable");
      throw error;
    }
  }
  const { claimSlots } = createLimiter(maxConcurrency, clock, random);
  return { call, background: { call }, claimSlots };
}

function failureOf(name: string, fault: Fault, isTimeout: boolean, { random }: Task): PlatformError {
  if (fault === "not-sent")
    return new PlatformError({ outcome: "not-sent", message: `${name}: ECONNREFUSED` });
  if (fault === "refused")
    return new PlatformError({ outcome: "refused", status: 403, message: `${name}: status 403` });
  if (fault === "throttled") {
    const retryAfterSeconds = [undefined, 1, 30][random.integerBelow(3)];
    return new PlatformError({
      outcome: "refused",
      status: 429,
      message: `${name}: status 429`,
      retryAfterSeconds,
    });
  }
  if (isTimeout) return new PlatformError({ outcome: "unknown", isTimeout, message: `${name}: ETIMEDOUT` });
  const status = [undefined, 500, 502, 503][random.integerBelow(4)];
  return new PlatformError({ outcome: "unknown", status, message: `${name}: ${status ?? "ECONNRESET"}` });
}
