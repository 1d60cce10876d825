/** The object graph: every client and every part is made here, once. */
import { randomUUID } from "node:crypto";
import { createBasicCheck } from "./auth/basic.ts";
import { createBearerCheck } from "./auth/bearer.ts";
import { createContactCentreCheck } from "./auth/contact-centre.ts";
import { fetchPublishedKeys } from "./auth/published-keys.ts";
import { createSigningKeys } from "./auth/signing-keys.ts";
import { createMetricsSink, createQueues } from "./azure-clients.ts";
import { systemClock } from "./clock.ts";
import type { AccessChecks } from "./http.ts";
import { createMetricsCollection } from "./metrics.ts";
import { createPlatformClient } from "./platform/client.ts";
import { createConferences } from "./platform/conferences.ts";
import { createBasicLogIn, createOAuthLogIn, type PlatformLogIn } from "./platform/log-in.ts";
import { withRetries } from "./platform/retry.ts";
import { createPlatformStatus } from "./platform/status.ts";
import { createBulkDeletion } from "./pool/bulk-deletion.ts";
import { createClaims } from "./pool/claim.ts";
import { createEndedRooms } from "./pool/ended-rooms.ts";
import { createGarbageCollection } from "./pool/garbage.ts";
import { createProvisioning } from "./pool/provisioning.ts";
import { queueNames } from "./pool/queue-names.ts";
import { createReplenishment } from "./pool/replenishment.ts";
import { secureRandom } from "./random.ts";
import type { Settings } from "./settings.ts";
import { version } from "./version.ts";

export type Dependencies = ReturnType<typeof createDependencies>;

/** Opens no connection: the first call of each part does. */
export function createDependencies(settings: Settings) {
  const clock = systemClock;
  const { maximumRooms, minimumRooms, leaseSeconds, readyDelaySeconds } = settings.pool;
  const platformTimeoutSeconds = settings.platform.timeoutSeconds;

  const openQueue = createQueues(settings.storage);
  // The pool is a stock and has no trigger: the host would drain it. Only the provisioning queue is the host's.
  const pool = openQueue(queueNames.pool, "text");
  const deletion = openQueue(queueNames.deletion, "text");
  const provisioning = openQueue(queueNames.provisioning, "base64");
  const poison = openQueue(queueNames.poison, "base64");

  const client = withRetries(
    createPlatformClient({ ...settings.platform, logIn: createLogIn(settings), clock }),
    clock,
    Math.random,
  );
  const conferences = createConferences(client);
  const backgroundConferences = createConferences(client.background);
  const status = createPlatformStatus(client.background);

  const replenishment = createReplenishment({ pool, provisioning, maximumRooms });
  return {
    accessChecks: createAccessChecks(settings),
    clock,
    serviceTagBaseUrl: settings.serviceTagBaseUrl,
    maximumRooms,
    conferences,
    replenishment,
    claims: createClaims({
      pool,
      deletion,
      replenishment,
      conferences,
      clock,
      leaseSeconds,
      platformTimeoutSeconds,
    }),
    endedRooms: createEndedRooms({ deletion, clock }),
    bulkDeletion: createBulkDeletion({
      pool,
      deletion,
      provisioning,
      conferences: backgroundConferences,
      clock,
    }),
    provisioning: createProvisioning({
      pool,
      provisioning,
      deletion,
      conferences: backgroundConferences,
      clock,
      random: secureRandom,
      hostPin: settings.rooms.hostPin,
      template: settings.rooms.template,
      maximumRooms,
      readyDelaySeconds,
      leaseSeconds,
      platformTimeoutSeconds,
    }),
    garbageCollection: createGarbageCollection({
      deletion,
      conferences: backgroundConferences,
      status,
      ...settings.garbage,
    }),
    metricsCollection: createMetricsCollection({
      queues: { pool, deletion, provisioning, poison },
      conferences: backgroundConferences,
      status,
      replenishment,
      sink: createMetricsSink(settings),
      clock,
      newId: randomUUID,
      instanceId: randomUUID(),
      version,
      maximumRooms,
      minimumRooms,
    }),
  };
}

function createLogIn({ platform }: Settings): PlatformLogIn {
  const { logIn, url, timeoutSeconds } = platform;
  return "username" in logIn
    ? createBasicLogIn(logIn.username, logIn.password)
    : createOAuthLogIn({ ...logIn, url, timeoutSeconds, clock: systemClock });
}

function createAccessChecks({ bearer, contactCentre, eventSink }: Settings): AccessChecks {
  const fetchKeys = async () => fetchPublishedKeys(bearer.authority, bearer.tenantId);
  const checkBearer = createBearerCheck(bearer, createSigningKeys(fetchKeys, systemClock));
  const checkAgent = createContactCentreCheck(contactCentre, systemClock);
  const checkBasic = createBasicCheck(eventSink);
  return {
    application: async (headers, log) => checkBearer(headers.get("authorization"), log),
    agent: async (headers, log) => checkAgent(headers.get("x-auth-token"), log),
    "event-sink": async (headers) => checkBasic(headers.get("authorization")),
    anyone: async () => undefined,
  };
}
