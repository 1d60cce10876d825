/**
 * The gateway with its real functions, on a virtual clock: queues and platform are in memory, and identity provider,
 * contact centre and log are the simulators.
 */
import { createAccessChecks } from "../../../src/lib/auth/access.ts";
import { createBearerCheck } from "../../../src/lib/auth/bearer.ts";
import { createContactCentreCheck } from "../../../src/lib/auth/contact-centre.ts";
import { createSigningKeys } from "../../../src/lib/auth/signing-keys.ts";
import { formatMarker, type Marker } from "../../../src/lib/ownership/room.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { createManualClock } from "../../simulators/memory/clock.ts";
import {
  createMemoryGateway,
  createMemoryWorld,
  type MemoryRequest,
  memorySettings,
} from "../../simulators/memory/gateway.ts";
import { startContactCentre } from "../../simulators/services/contact-centre.ts";
import { startLogWorkspace } from "../../simulators/services/log-workspace.ts";
import { startLoopbackServer } from "../../simulators/services/loopback-server.ts";
import { startTokenIssuer } from "../../simulators/services/token-issuer.ts";
import { createLocalLog } from "../gateway/local.ts";
import { platformOf, type Target } from "../gateway/target.ts";
import { runCheck, statusChecks } from "../status/checks.ts";
import type { Line } from "../status/line.ts";
import { readingOf } from "../status/reading.ts";
import { memoryTarget } from "./memory-target.ts";
import { type OpsOptions, ops } from "./run-ops.ts";

export type GatewayInMemory = Awaited<ReturnType<typeof startGatewayInMemory>>;

interface AddedRooms extends Partial<Omit<Marker, "since">> {
  /** For how long they have been in this state. */
  readonly hours?: number;
  /** Whether their names are in the pool. */
  readonly areInPool?: boolean;
}

/** Starts the services beside the platform, and returns the settings that name their URLs. */
async function startServices() {
  const [issuer, contactCentre, logWorkspace, front] = await Promise.all([
    startTokenIssuer(),
    startContactCentre(),
    startLogWorkspace(),
    // The gateway's URL has a path, as behind API Management.
    startLoopbackServer(({ url: { pathname } }) => {
      const statuses: Record<string, number> = { "/vmr/public/health": 200, "/vmr/room/list": 401 };
      return { status: statuses[pathname] ?? 404 };
    }),
  ]);
  return {
    issuer,
    logWorkspace,
    urls: {
      AUTH_AUTHORITY: issuer.url,
      CONTACT_CENTRE_API_URL: contactCentre.url,
      LOGS_INGESTION_ENDPOINT: logWorkspace.url,
    },
    gatewayUrl: `${front.url}/vmr`,
    stop: async (): Promise<void> => {
      await Promise.all([issuer, contactCentre, logWorkspace, front].map(async (part) => part.stop()));
    },
  };
}

/** Starts a gateway with `MAX_VMR`, whose rooms are ready at once. */
export async function startGatewayInMemory({ maxRooms }: { readonly maxRooms: number }) {
  const faults = { isProvisioningDisabled: false };
  const clock = createManualClock(Date.now());
  const services = await startServices();
  const { issuer, logWorkspace } = services;
  const changes = { ...services.urls, MAX_VMR: String(maxRooms), POOL_READY_DELAY_SECONDS: "0" };
  const settings = loadSettings({ ...memorySettings, ...changes });
  const world = createMemoryWorld(clock);
  const { platform, queues } = world;
  const operator = createMemoryGateway(world, { settings: changes });
  const gateway = createMemoryGateway(world, {
    settings: changes,
    adapters: {
      accessChecks: createAccessChecks({
        eventSink: settings.eventSink,
        checkBearer: createBearerCheck(settings.bearer, createSigningKeys(settings.bearer, clock)),
        checkAgent: createContactCentreCheck(settings.contactCentre, clock),
      }),
      metricsSink: async (row) => {
        const url = `${logWorkspace.url}/dataCollectionRules/rule/streams/rows?api-version=1`;
        await fetch(url, { method: "POST", body: JSON.stringify([row]) });
      },
    },
    onLog: (line) => logWorkspace.addTrace(line, new Date(clock.now())),
  });

  const target = memoryTarget({
    gatewayUrl: services.gatewayUrl,
    settings,
    clock,
    queues,
    log: createLocalLog(logWorkspace.url, clock),
    platform: platformOf(operator.client),
    operatorId: async () => "local",
  });

  /** Serves every request for a room until one fails, which stays. */
  async function provision(): Promise<void> {
    let isServed = !faults.isProvisioningDisabled;
    while (isServed) isServed = await gateway.deliver().catch(() => false);
  }

  async function runTimer(name: "collectGarbage" | "collectMetrics"): Promise<void> {
    await gateway.runTimer(name).catch(() => undefined);
  }

  /** Adds a line to the log. */
  function log(fields: object, hoursAgo = 0): void {
    logWorkspace.addTrace(JSON.stringify(fields), new Date(clock.now() - hoursAgo * 3600_000));
  }

  /** Adds rooms that were made or handed out some time ago. */
  async function addRooms(
    names: readonly string[],
    { hours = 1, areInPool = false, ...marker }: AddedRooms = {},
  ): Promise<void> {
    const since = new Date(clock.now() - hours * 3600_000).toISOString();
    const state = areInPool ? "pooled" : "assigned";
    const { gatewayName } = settings.rooms;
    const all = { gateway: gatewayName, state, since, messageId: "claim-1", ...marker } as const;
    const description = formatMarker(all);
    platform.seedRooms({ rows: names.map((name) => ({ name, aliases: [{ alias: name }], description })) });
    if (areInPool) for (const name of names) await queues.pool.put(name);
  }

  /** Calls a function, by default as an application that may call all of them. */
  async function call(name: string, { headers, ...request }: MemoryRequest = {}) {
    const authorization = `Bearer ${issuer.issueToken()}`;
    return gateway.call(name, { headers: headers ?? { authorization, "content-length": "0" }, ...request });
  }

  async function fill(): Promise<void> {
    await call("bulkCreateRooms");
    await provision();
  }

  return {
    clock,
    settings,
    faults,
    platform,
    queues,
    issuer,
    call,
    fill,
    provision,
    runTimer,
    addRooms,
    log,
    roomNames: () => platform.rooms().map(({ name }) => name),
    /** Ten callers, one after the other; the rooms that they get are replaced. */
    creates: async (): Promise<void> => {
      for (let index = 0; index < 10; index++) {
        await call("createRoomFromQueue");
        await provision();
        clock.advance(1);
      }
    },
    /** Returns the lines of `ops status`. */
    statusLines: async (): Promise<Line[]> => {
      const reading = readingOf(target);
      return Promise.all(statusChecks.map(async (check) => runCheck(check, reading)));
    },
    /** Runs one of the operator's commands on this gateway, unless `changes` replace parts of it. */
    ops: async (
      command: string | readonly string[],
      options: OpsOptions = {},
      changes: Partial<Target> = {},
    ) =>
      ops(typeof command === "string" ? command.split(" ") : command, {
        ...options,
        connect: async () => ({ ...target, ...changes }),
      }),
    /** Ends every fault. */
    mend: (): void => {
      faults.isProvisioningDisabled = false;
      issuer.setDown(false);
      platform.clearFaults();
      platform.clearAlarms();
    },
    stop: services.stop,
  };
}
