/**
 * The gateway with its real functions, on a virtual clock: queues and platform are in memory, and identity provider,
 * contact centre and log are the simulators.
 */
import { createAccessChecks } from "../../../src/lib/auth/access.ts";
import { createBearerCheck } from "../../../src/lib/auth/bearer.ts";
import { createContactCentreCheck } from "../../../src/lib/auth/contact-centre.ts";
import { createSigningKeys } from "../../../src/lib/auth/signing-keys.ts";
import { formatMarker, type Marker } from "../../../src/lib/ownership/room.ts";
import { createClient } from "../../../src/lib/platform/client.ts";
import { transportFailure } from "../../../src/lib/platform/errors.ts";
import type { PlatformTransport } from "../../../src/lib/platform/transport.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { asEventSink } from "../../../test/support/credentials.ts";
import { gatewaySettings } from "../../simulators/gateway-settings.ts";
import { identities } from "../../simulators/identities.ts";
import { createManualClock, type ManualClock, settlePromises } from "../../simulators/memory/clock.ts";
import {
  createMemoryGateway,
  createMemoryWorld,
  type MemoryRequest,
} from "../../simulators/memory/gateway.ts";
import { noCredentials } from "../../simulators/platform/memory-platform.ts";
import { startContactCentre } from "../../simulators/services/contact-centre.ts";
import { hostFailureEvent, startLogWorkspace } from "../../simulators/services/log-workspace.ts";
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

interface GatewayOptions {
  /** `MAX_VMR`. */
  readonly rooms?: number;
  /** Whether the pool is full and a metrics run has ended. */
  readonly isFilled?: boolean;
}

interface AddedRooms extends Partial<Omit<Marker, "since">> {
  /** For how long they have been in this state. */
  readonly hours?: number;
  /** Whether their names are in the pool. */
  readonly areInPool?: boolean;
}

/** Faults that neither the platform nor the simulators inject. */
const noFaults = {
  /** How long each call of the platform takes. */
  delaySeconds: 0,
  isProvisioningDisabled: false,
  isAppMissing: false,
};
type Faults = typeof noFaults;

/** Starts the services beside the platform, and returns settings with their URLs. */
async function startServices(faults: Faults) {
  const [issuer, contactCentre, logWorkspace, front] = await Promise.all([
    startTokenIssuer(),
    startContactCentre(),
    startLogWorkspace(),
    // The gateway's URL has a path, as behind API Management.
    startLoopbackServer(({ url: { pathname } }) => {
      const statuses: Record<string, number> = { "/vmr/public/health": 200, "/vmr/room/list": 401 };
      return { status: (!faults.isAppMissing && statuses[pathname]) || 404 };
    }),
  ]);
  const environment = gatewaySettings({
    connectionString: "UseDevelopmentStorage=true",
    platformUrl: "https://platform.example.com",
    authorityUrl: issuer.url,
    contactCentreUrl: contactCentre.url,
    logWorkspaceUrl: logWorkspace.url,
  });
  return {
    issuer,
    contactCentre,
    logWorkspace,
    environment,
    gatewayUrl: `${front.url}/vmr`,
    stop: async (): Promise<void> => {
      await Promise.all([issuer, contactCentre, logWorkspace, front].map(async (part) => part.stop()));
    },
  };
}

/** Returns the network between the platform and its callers, in which time passes for everybody. */
function createNetwork(faults: Faults, clock: ManualClock, timeoutSeconds: number) {
  return (send: PlatformTransport): PlatformTransport =>
    async (request, authorization) => {
      const timeout = request.timeoutSeconds ?? timeoutSeconds;
      const { delaySeconds } = faults;
      const endsAt = clock.now() + 1000 * Math.min(delaySeconds, timeout);
      // Calls that start at the same time end at the same time.
      await settlePromises();
      clock.advance(Math.max(0, endsAt - clock.now()) / 1000);
      if (delaySeconds > timeout)
        throw transportFailure(request, Object.assign(new Error(), { code: "ETIMEDOUT" }));
      return send(request, authorization);
    };
}

/** Starts a gateway whose rooms are ready at once. */
export async function startGatewayInMemory({ rooms = 20, isFilled = true }: GatewayOptions = {}) {
  const faults = { ...noFaults };
  const clock = createManualClock(Date.now());
  const services = await startServices(faults);
  const { issuer, contactCentre, logWorkspace } = services;
  const environment = {
    ...services.environment,
    MAX_VMR: String(rooms),
    POOL_READY_DELAY_SECONDS: "0",
    EVENT_SINK_PREVIOUS_USERNAME: identities.sinkUsername,
    EVENT_SINK_PREVIOUS_PASSWORD: "previous",
  };
  const settings = loadSettings(environment);
  const world = createMemoryWorld(clock);
  const { platform, queues } = world;
  const { timeoutSeconds, maxConcurrency } = settings.platform;
  const network = createNetwork(faults, clock, timeoutSeconds);
  const operatorsClient = createClient(network(platform.transport), {
    timeoutSeconds,
    maxConcurrency,
    credentials: noCredentials,
    clock,
  });
  const gateway = createMemoryGateway(world, {
    settings: environment,
    network,
    adapters: {
      accessChecks: createAccessChecks({
        eventSink: settings.eventSink,
        checkBearer: createBearerCheck(settings.bearer, createSigningKeys(settings.bearer, clock)),
        checkAgent: createContactCentreCheck(settings.contactCentre, clock),
      }),
      metricsSink: async (row) => {
        const url = `${logWorkspace.url}/dataCollectionRules/rule/streams/rows?api-version=1`;
        const { ok } = await fetch(url, { method: "POST", body: JSON.stringify([row]) });
        if (!ok) throw new Error("the row is refused");
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
    platform: platformOf(operatorsClient),
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

  const callers = createCallers(gateway, issuer);

  async function fill(): Promise<void> {
    await callers.call("bulkCreateRooms");
    await provision();
  }

  if (isFilled) {
    await fill();
    await runTimer("collectMetrics");
  }

  return {
    clock,
    settings,
    faults,
    platform,
    queues,
    issuer,
    contactCentre,
    logWorkspace,
    ...callers,
    fill,
    provision,
    runTimer,
    addRooms,
    log,
    roomNames: () => platform.rooms().map(({ name }) => name),
    failToLoad: (): void => {
      faults.isAppMissing = true;
      log({ event: hostFailureEvent, message: "Error: a setting is missing" });
    },
    /** Ten callers, one after the other; the rooms that they get are replaced. */
    creates: async (claims: ApplicationRequest["claims"] = {}): Promise<void> => {
      for (let index = 0; index < 10 && !faults.isAppMissing; index++) {
        await callers.call("createRoomFromQueue", { claims });
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
    mend: async (): Promise<void> => {
      Object.assign(faults, noFaults);
      issuer.setDown(false);
      contactCentre.clearFaults();
      platform.clearFaults();
      platform.clearAlarms();
      await platform.goUp();
    },
    stop: services.stop,
  };
}

interface ApplicationRequest extends MemoryRequest {
  /** What the token says that is not as usual. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** Everybody who calls the gateway: applications, the platform's nodes and agents. */
function createCallers(
  gateway: ReturnType<typeof createMemoryGateway>,
  issuer: Awaited<ReturnType<typeof startTokenIssuer>>,
) {
  return {
    /** Calls a function, by default as an application that may call all of them. */
    call: async (name: string, { claims = {}, headers, ...request }: ApplicationRequest = {}) => {
      const authorization = `Bearer ${issuer.issueToken({ claims })}`;
      return gateway.call(name, { headers: headers ?? { authorization, "content-length": "0" }, ...request });
    },
    sendEvents: async (amount: number, password: string = identities.sinkPassword, username?: string) => {
      const json = { event: "participant_connected", data: {} };
      for (let index = 0; index < amount; index++)
        await gateway.call("eventSink", { headers: asEventSink(username, password), json });
    },
    askAsAgent: async (token: string = identities.agentToken) =>
      gateway.call("getPublicRoom", { headers: { "x-auth-token": token }, roomName: "any" }),
  };
}
