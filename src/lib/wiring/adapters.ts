/** Everything outside this process, and time and chance: what tests and the simulation put others in the place of. */
import { randomUUID } from "node:crypto";
import { createBasicCheck } from "../auth/basic.ts";
import { createBearerCheck } from "../auth/bearer.ts";
import { createContactCentreCheck } from "../auth/contact-centre.ts";
import { fetchPublishedKeys } from "../auth/published-keys.ts";
import { createSigningKeys } from "../auth/signing-keys.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { AccessChecks } from "../http/handler.ts";
import type { MetricsSink } from "../metrics/collection.ts";
import { createPlatformClient, type PlatformClient } from "../platform/client.ts";
import { createBasicLogIn, createOAuthLogIn, type PlatformLogIn } from "../platform/log-in.ts";
import type { Queue } from "../queues/queue.ts";
import { queueNames } from "../queues/queue-names.ts";
import { createMetricsSink, createQueues } from "../queues/storage-account.ts";
import { type RandomSource, secureRandom } from "../random.ts";
import type { Settings } from "../settings/settings.ts";

export interface Adapters {
  readonly queues: Readonly<Record<keyof typeof queueNames, Queue>>;
  /** Without retries. */
  readonly platformClient: PlatformClient;
  readonly accessChecks: AccessChecks;
  readonly metricsSink: MetricsSink;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly newId: () => string;
}

const queueTimeoutSeconds = 3;

/** Opens no connection: the first call of each part does. */
export function createAdapters(settings: Settings): Adapters {
  const clock = systemClock;
  return {
    queues: openQueues(settings.storage),
    platformClient: createPlatformClient({
      ...settings.platform,
      logIn: createLogIn(settings, clock),
      clock,
    }),
    accessChecks: createAccessChecks(settings, clock),
    metricsSink: createMetricsSink(settings),
    clock,
    random: secureRandom,
    newId: randomUUID,
  };
}

export function openQueues(
  storage: Settings["storage"],
  timeoutSeconds = queueTimeoutSeconds,
): Adapters["queues"] {
  const openQueue = createQueues(storage, timeoutSeconds);
  return {
    // The pool is a stock and has no trigger: the host would drain it. Only the provisioning queue is the host's.
    pool: openQueue(queueNames.pool, "text"),
    deletion: openQueue(queueNames.deletion, "text"),
    provisioning: openQueue(queueNames.provisioning, "base64"),
    poison: openQueue(queueNames.poison, "base64"),
  };
}

function createLogIn({ platform }: Settings, clock: Clock): PlatformLogIn {
  const { logIn, url, timeoutSeconds } = platform;
  return "username" in logIn
    ? createBasicLogIn(logIn.username, logIn.password)
    : createOAuthLogIn({ ...logIn, url, timeoutSeconds, clock });
}

function createAccessChecks({ bearer, contactCentre, eventSink }: Settings, clock: Clock): AccessChecks {
  const fetchKeys = async () => fetchPublishedKeys(bearer.authority, bearer.tenantId);
  const checkBearer = createBearerCheck(bearer, createSigningKeys(fetchKeys, clock));
  const checkAgent = createContactCentreCheck(contactCentre, clock);
  const checkBasic = createBasicCheck(eventSink);
  return {
    application: async (headers, log) => checkBearer(headers.get("authorization"), log),
    agent: async (headers, log) => checkAgent(headers.get("x-auth-token"), log),
    "event-sink": async (headers) => checkBasic(headers.get("authorization")),
    anyone: async () => undefined,
  };
}
