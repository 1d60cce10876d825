/** Gateways with their real parts and functions, over one platform, queues and records in memory. */
import { randomUUID } from "node:crypto";
import { HttpRequest, HttpResponse, type HttpResponseInit, InvocationContext } from "@azure/functions";
import { type Adapters, createDependencies } from "../../../src/lib/dependencies.ts";
import { parseJson } from "../../../src/lib/json.ts";
import type { MetricsRow } from "../../../src/lib/metrics/measurement.ts";
import { createClient, type PlatformCall, type PlatformClient } from "../../../src/lib/platform/client.ts";
import type { PlatformTransport } from "../../../src/lib/platform/transport.ts";
import { type Clock, type CreateRecordStore, secureRandom } from "../../../src/lib/ports.ts";
import type { Queue, QueueMessage, Queues } from "../../../src/lib/queue.ts";
import { loadSettings, type Settings } from "../../../src/lib/settings/settings.ts";
import { encodeBody, type Received, type Sent } from "../exchange.ts";
import { gatewaySettings } from "../gateway-settings.ts";
import { createMemoryPlatform, noCredentials } from "../platform/memory-platform.ts";
import { aTimer, httpFunctions, registerFunctions } from "./functions.ts";
import { openAccess } from "./open-access.ts";
import { createMemoryQueue } from "./queue.ts";
import { createMemoryRecordStore } from "./record-store.ts";

/** Settings of a gateway that calls nothing outside the process. */
export const memorySettings = gatewaySettings({
  connectionString: "UseDevelopmentStorage=true",
  platformUrl: "https://platform.example.com",
  authorityUrl: "http://127.0.0.1:1",
  contactCentreUrl: "http://127.0.0.1:1",
  logWorkspaceUrl: "http://127.0.0.1:1",
});

/** Kept, because the exploration starts ten thousands of gateways with the same settings. */
const loadedSettings = new Map<string, Settings>();

function settingsWith(overrides: MemoryGatewayOptions["settings"]): Settings {
  const key = JSON.stringify(overrides);
  const settings = loadedSettings.get(key) ?? loadSettings({ ...memorySettings, ...overrides });
  loadedSettings.set(key, settings);
  return settings;
}

type MemoryWorld = ReturnType<typeof createMemoryWorld>;

/** Creates what the instances of a gateway share: the clock, the platform, the queues, the records and the metrics. */
export function createMemoryWorld<OwnClock extends Clock>(clock: OwnClock, newId?: () => string) {
  const newQueue = () => createMemoryQueue(clock, newId);
  const rows: MetricsRow[] = [];
  return {
    clock,
    platform: createMemoryPlatform(() => clock.now()),
    queues: { pool: newQueue(), deletion: newQueue(), provisioning: newQueue(), poison: newQueue() },
    records: createMemoryRecordStore(),
    rows,
  };
}

/** A call of a port. `of` is the text of the message, or the ID of the record. */
export type PortCall =
  | { readonly port: keyof Queues; readonly operation: keyof Queue; readonly of?: string }
  | { readonly port: "records"; readonly operation: keyof CreateRecordStore; readonly of: string }
  | { readonly port: "metrics"; readonly operation: "write" }
  | (PlatformPortCall & { readonly port: "platform"; readonly isBackground: boolean });

type PlatformPortCall =
  | { readonly operation: "call"; readonly call: PlatformCall }
  | { readonly operation: "takeSlot"; readonly startBefore: number };

export interface MemoryGatewayOptions {
  /** Override `memorySettings`. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Replace parts that need no hook. */
  readonly adapters?: Partial<Adapters>;
  /** Runs before a port is called. If it throws, the call is not carried out. */
  readonly before?: (call: PortCall) => unknown;
  /** Runs after a port was called. If it throws, the response is lost. */
  readonly after?: (call: PortCall) => unknown;
  /** Carries out a call of a port, or does not. */
  readonly around?: <Result>(call: PortCall, carryOut: () => Promise<Result>) => Promise<Result>;
  /** Returns the network between the gateway and the platform. */
  readonly network?: (platform: PlatformTransport) => PlatformTransport;
  /** Receives the lines that functions log. */
  readonly onLog?: (line: string) => void;
}

export interface MemoryRequest extends Sent {
  readonly roomName?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Starts an instance in a world. */
export function createMemoryGateway(
  world: Omit<MemoryWorld, "clock"> & { clock: Clock },
  options: MemoryGatewayOptions = {},
) {
  const { clock, platform } = world;
  const settings = settingsWith(options.settings);
  const { timeoutSeconds, maxConcurrency } = settings.platform;
  const transport = options.network?.(platform.transport) ?? platform.transport;
  const random = options.adapters?.random ?? secureRandom;
  const client = createClient(transport, {
    timeoutSeconds,
    maxConcurrency,
    credentials: noCredentials,
    clock,
    random,
  });

  async function hooked<Result>(call: PortCall, carryOut: () => Promise<Result>): Promise<Result> {
    await options.before?.(call);
    const result = await (options.around?.(call, carryOut) ?? carryOut());
    await options.after?.(call);
    return result;
  }

  function hookedQueue(port: keyof Queues): Queue {
    const queue = world.queues[port];
    const at = (operation: keyof Queue, of?: string) => ({ port, operation, ...(of && { of }) });
    return {
      put: async (text, options) => hooked(at("put", text), async () => queue.put(text, options)),
      receive: async (...input) => hooked(at("receive"), async () => queue.receive(...input)),
      delete: async (message) => hooked(at("delete", message.text), async () => queue.delete(message)),
      setInvisible: async (message, ...input) =>
        hooked(at("setInvisible", message.text), async () => queue.setInvisible(message, ...input)),
      count: async () => hooked(at("count"), async () => queue.count()),
      peek: async (...input) => hooked(at("peek"), async () => queue.peek(...input)),
      clear: async () => hooked(at("clear"), async () => queue.clear()),
    };
  }

  const hookedRecords: CreateRecordStore = {
    read: async (of) =>
      hooked({ port: "records", operation: "read", of }, async () => world.records.read(of)),
    write: async (of, ...input) =>
      hooked({ port: "records", operation: "write", of }, async () => world.records.write(of, ...input)),
  };

  const toPlatform = async <Result>(
    isBackground: boolean,
    call: PlatformPortCall,
    run: () => Promise<Result>,
  ) => hooked({ ...call, port: "platform", isBackground }, run);
  const { background } = client;
  const hookedClient: PlatformClient = {
    call: async (call) => toPlatform(false, { operation: "call", call }, async () => client.call(call)),
    background: {
      call: async (call) => toPlatform(true, { operation: "call", call }, async () => background.call(call)),
      takeSlot: async (startBefore) =>
        toPlatform(true, { operation: "takeSlot", startBefore }, async () =>
          background.takeSlot(startBefore),
        ),
    },
    takeClaimSlot: async (startBefore) =>
      toPlatform(false, { operation: "takeSlot", startBefore }, async () =>
        client.takeClaimSlot(startBefore),
      ),
  };

  const adapters: Adapters = {
    queues: {
      pool: hookedQueue("pool"),
      deletion: hookedQueue("deletion"),
      provisioning: hookedQueue("provisioning"),
      poison: hookedQueue("poison"),
    },
    createRecords: hookedRecords,
    platformClient: hookedClient,
    accessChecks: openAccess,
    metricsSink: async (row) =>
      hooked({ port: "metrics", operation: "write" }, async () => void world.rows.push(row)),
    tokenFailure: () => undefined,
    clock,
    random,
    newId: randomUUID,
    ...options.adapters,
  };
  const dependencies = createDependencies(settings, adapters);
  const functions = registerFunctions(dependencies);

  const contextOf = (functionName: string, triggerMetadata: Record<string, number> = {}) =>
    new InvocationContext({
      functionName,
      invocationId: randomUUID(),
      triggerMetadata,
      logHandler: (_level, line) => options.onLog?.(String(line)),
    });

  /** Lets a function serve one request for a room. Throws what the run throws. */
  async function provision({ text, dequeueCount }: QueueMessage): Promise<void> {
    const context = contextOf("provisionRoom", { dequeueCount });
    await functions.queues.get("provisionRoom")?.(JSON.parse(text), context);
  }

  return {
    settings,
    client,
    adapters,
    dependencies,
    newContext: contextOf,
    provision,
    /** Sends a request to a function. */
    call: async (name: string, { roomName, query, ...sent }: MemoryRequest = {}): Promise<Received> => {
      const definition = httpFunctions[name];
      const handler = functions.http.get(name);
      if (!definition || !handler) throw new Error(`there is no function ${name}`);
      const { body, headers } = encodeBody(sent);
      const request = new HttpRequest({
        method: definition.method,
        url: `http://127.0.0.1/?${new URLSearchParams(query).toString()}`,
        params: roomName === undefined ? {} : { room_name: roomName },
        headers: { ...headers, ...sent.headers },
        ...(body !== undefined && { body: { string: body } }),
      });
      const response = new HttpResponse((await handler(request, contextOf(name))) as HttpResponseInit);
      const text = await response.text();
      const received = { status: response.status, headers: Object.fromEntries(response.headers) };
      return { ...received, text, json: parseJson(text) };
    },
    /** Runs a timer function once. Throws what the run throws. */
    runTimer: async (name: "collectGarbage" | "collectMetrics"): Promise<void> => {
      await functions.timers.get(name)?.(aTimer, contextOf(name));
    },
    /**
     * Serves one request for a room, as the host does. Returns whether there was one. If the run throws, the request
     * stays.
     */
    deliver: async (): Promise<boolean> => {
      const [message] = await world.queues.provisioning.receive(1, 1);
      if (!message) return false;
      await provision(message);
      await world.queues.provisioning.delete(message);
      return true;
    },
  };
}
