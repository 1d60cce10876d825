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
import { createManualClock, settlePromises } from "../../simulators/memory/clock.ts";
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

/** Starts a gateway whose rooms are ready at once. */
export async function startGatewayInMemory({ rooms = 20, isFilled = true }: GatewayOptions = {}) {
  const clock = createManualClock(Date.now());
  const [issuer, contactCentre, logWorkspace, front] = await Promise.all([
    startTokenIssuer(),
    startContactCentre(),
    startLogWorkspace(),
    startLoopbackServer(({ url }) => {
      if (!isLoaded) return { status: 404 };
      return { status: url.pathname === "/public/health" ? 200 : 401 };
    }),
  ]);
  const environment = {
    ...gatewaySettings({
      connectionString: "UseDevelopmentStorage=true",
      platformUrl: "https://platform.example.com",
      authorityUrl: issuer.url,
      contactCentreUrl: contactCentre.url,
      logWorkspaceUrl: logWorkspace.url,
    }),
    MAX_VMR: String(rooms),
    POOL_READY_DELAY_SECONDS: "0",
    EVENT_SINK_PREVIOUS_USERNAME: identities.sinkUsername,
    EVENT_SINK_PREVIOUS_PASSWORD: "previous",
  };
  const settings = loadSettings(environment);

  let isLoaded = true;
  const noFaults = { delaySeconds: 0, delayed: "", networkCode: "", appAheadSeconds: 0, provisions: true };
  const link = { ...noFaults };
  const world = createMemoryWorld(clock);
  const { platform, queues } = world;
  const { timeoutSeconds, maxConcurrency } = settings.platform;
  const network =
    (send: PlatformTransport): PlatformTransport =>
    async (request, authorization) => {
      const timeout = request.timeoutSeconds ?? timeoutSeconds;
      const { path, query = {} } = request;
      const isDelayed = `${request.method} ${path}?${Object.keys(query).join("&")}`.includes(link.delayed);
      const delaySeconds = isDelayed ? link.delaySeconds : 0;
      const endsAt = clock.now() + 1000 * Math.min(delaySeconds, timeout);
      // Calls that start at the same time end at the same time.
      await settlePromises();
      clock.advance(Math.max(0, endsAt - clock.now()) / 1000);
      const code = delaySeconds > timeout ? "ETIMEDOUT" : link.networkCode;
      if (code !== "") throw transportFailure(request, Object.assign(new Error(), { code }));
      return send(request, authorization);
    };
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

  const asApplication = (claims = {}) => ({
    authorization: `Bearer ${issuer.issueToken({ claims })}`,
    "content-length": "0",
  });

  /** Serves every request for a room until one fails, which stays. */
  async function provision(): Promise<void> {
    let isServed = link.provisions;
    while (isServed) isServed = await gateway.deliver().catch(() => false);
  }

  async function runTimer(name: "collectGarbage" | "collectMetrics"): Promise<void> {
    await gateway.runTimer(name).catch(() => undefined);
  }

  const { gatewayName } = settings.rooms;
  const target = memoryTarget({
    gatewayUrl: front.url,
    settings,
    // The operator's clock is right.
    clock: { ...clock, now: () => clock.now() - link.appAheadSeconds * 1000 },
    queues,
    log: createLocalLog(logWorkspace.url, clock),
    platform: platformOf(operatorsClient),
    operatorId: async () => "local",
  });

  /** Adds a line to the log. */
  function log(fields: object, hoursAgo = 0): void {
    logWorkspace.addTrace(JSON.stringify(fields), new Date(clock.now() - hoursAgo * 3600_000));
  }

  async function fill(): Promise<void> {
    await gateway.call("bulkCreateRooms", { headers: asApplication() });
    await provision();
  }

  /** Adds rooms that were made or handed out some time ago. */
  async function addRooms(
    names: readonly string[],
    { hours = 1, areInPool = false, ...marker }: AddedRooms = {},
  ): Promise<void> {
    const since = new Date(clock.now() - hours * 3600_000).toISOString();
    const state = areInPool ? "pooled" : "assigned";
    const all = { gateway: gatewayName, state, since, messageId: "claim-1", ...marker } as const;
    const description = formatMarker(all);
    platform.seedRooms({ rows: names.map((name) => ({ name, aliases: [{ alias: name }], description })) });
    if (areInPool) for (const name of names) await queues.pool.put(name);
  }

  if (isFilled) {
    await fill();
    await runTimer("collectMetrics");
  }

  return {
    clock,
    settings,
    logWorkspace,
    platform,
    link,
    issuer,
    contactCentre,
    queues,
    fill,
    provision,
    runTimer,
    addRooms,
    roomNames: () => platform.rooms().map(({ name }) => name),
    log,
    failToLoad: (): void => {
      isLoaded = false;
      log({ event: hostFailureEvent, message: "Error: a setting is missing" });
    },
    /** Ten callers, one after the other; the rooms that they get are replaced. */
    creates: async (claims: object = {}): Promise<void> => {
      for (let index = 0; index < 10 && isLoaded; index++) {
        await gateway.call("createRoomFromQueue", { headers: asApplication(claims) });
        await provision();
        clock.advance(1);
      }
    },
    sendEvents: async (amount: number, password: string = identities.sinkPassword, username?: string) => {
      const json = { event: "participant_connected", data: {} };
      for (let index = 0; index < amount; index++)
        await gateway.call("eventSink", { headers: asEventSink(username, password), json });
    },
    askAsAgent: async (token: string = identities.agentToken) =>
      gateway.call("getPublicRoom", { headers: { "x-auth-token": token }, roomName: "any" }),
    /** Calls a function; by default as an application that may call all of them. */
    call: async (name: string, { headers = asApplication(), ...request }: MemoryRequest = {}) =>
      gateway.call(name, { headers, ...request }),
    /** Returns the lines of `ops status`. */
    statusLines: async (): Promise<Line[]> => {
      const reading = readingOf(target);
      return Promise.all(statusChecks.map(async (check) => runCheck(check, reading)));
    },
    /** Runs one of the operator's commands on this gateway, unless `changes` replace parts of it. */
    ops: async (command: string | string[], options: OpsOptions = {}, changes: Partial<Target> = {}) =>
      ops(typeof command === "string" ? command.split(" ") : command, {
        ...options,
        connect: async () => ({ ...target, ...changes }),
      }),
    /** Ends every fault. */
    mend: async (): Promise<void> => {
      isLoaded = true;
      Object.assign(link, noFaults);
      issuer.setDown(false);
      contactCentre.clearFaults();
      platform.clearFaults();
      platform.clearAlarms();
      await platform.goUp();
    },
    stop: async (): Promise<void> => {
      await Promise.all([issuer, contactCentre, logWorkspace, front].map(async (part) => part.stop()));
    },
  };
}
