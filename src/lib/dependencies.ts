/** The object graph: creates every part and every adapter once. */
import { randomUUID } from "node:crypto";
import { createAccessChecks } from "./auth/access.ts";
import { createBearerCheck } from "./auth/bearer.ts";
import { createContactCentreCheck } from "./auth/contact-centre.ts";
import { createSigningKeys } from "./auth/signing-keys.ts";
import { openCreateRecords } from "./azure/blob-records.ts";
import { createCredential, prefetchToken } from "./azure/credential.ts";
import { createMetricsSink } from "./azure/log-workspace.ts";
import { openQueues } from "./azure/storage-queue.ts";
import { createBulkDeletion } from "./deletion/bulk-deletion.ts";
import { createGarbageCollection } from "./deletion/collection.ts";
import type { MetricsRow } from "./metrics/measurement.ts";
import { createMetricsRun } from "./metrics/run.ts";
import { createDeletionQueueWriter } from "./ownership/deletion-queue.ts";
import { createClient } from "./platform/client.ts";
import { createConferences } from "./platform/conferences.ts";
import { createSharedList } from "./platform/shared-list.ts";
import { createPlatformStatus } from "./platform/status-api.ts";
import { createCredentials, createTransport } from "./platform/transport.ts";
import { createClaims } from "./pool/claim.ts";
import { createIdempotentClaims } from "./pool/idempotent-claims.ts";
import { roomFingerprint } from "./pool/new-room.ts";
import { createProvisioning } from "./pool/provisioning.ts";
import { createReplenishment } from "./pool/replenishment.ts";
import { secureRandom, systemClock } from "./ports.ts";
import type { Settings } from "./settings/settings.ts";
import { version } from "./version.ts";

/** Creates the adapters for the given settings. Opens no connection: the first call of each adapter does. */
export function createAdapters(settings: Settings) {
  const { storage, platform } = settings;
  const clock = systemClock;
  const credential = createCredential(storage);
  const signingKeys = createSigningKeys(settings.bearer, clock);
  return {
    queues: openQueues({ storage, credential }),
    createRecords: openCreateRecords({ storage, credential }),
    platformClient: createClient(createTransport(platform.url, platform.timeoutSeconds, platform), {
      timeoutSeconds: platform.timeoutSeconds,
      maxConcurrency: platform.maxConcurrency,
      credentials: createCredentials(platform, clock),
      clock,
    }),
    accessChecks: createAccessChecks({
      eventSink: settings.eventSink,
      checkBearer: createBearerCheck(settings.bearer, signingKeys),
      checkAgent: createContactCentreCheck(settings.contactCentre, clock),
    }),
    /**
     * Fetches what the first caller would wait for: the identity provider's keys and the app's token. Never rejects.
     */
    prefetch: async () => Promise.all([signingKeys.prefetch(), prefetchToken(storage, credential)]),
    metricsSink: createMetricsSink<MetricsRow>(settings.logsIngestion, credential),
    tokenFailure: credential.lastFailure,
    clock,
    random: secureRandom,
    newId: (): string => randomUUID(),
  };
}

/** The adapters to everything outside the process. Tests and the simulation replace them. */
export type Adapters = Readonly<Omit<ReturnType<typeof createAdapters>, "prefetch">>;

/** Everything that a function can ask for. */
export type Dependencies = ReturnType<typeof createDependencies>;

/** Creates the object graph without opening a connection. */
export function createDependencies(settings: Settings, adapters: Adapters) {
  const { clock, newId, platformClient, queues } = adapters;
  const { maxLevel, minLevel, leaseSeconds, readyDelaySeconds } = settings.pool;
  const { hostPin, template, gatewayName, maxAgeHours } = settings.rooms;
  const platformTimeoutSeconds = settings.platform.timeoutSeconds;
  // What several parts need. What one part needs stays with it, because another part may have it as an option.
  const common = { ...queues, clock, gatewayName, maxLevel, platformTimeoutSeconds };

  // Serves requests whose caller waits.
  const conferences = createConferences(platformClient);
  // Serves background work and lists, whose many pages must not delay requests for a room.
  const background = createConferences(platformClient.background);
  const inBackground = { ...common, conferences: background, takeSlot: platformClient.background.takeSlot };
  const status = createPlatformStatus(platformClient.background);
  const replenishment = createReplenishment(common);
  const { takeClaimSlot } = platformClient;
  const claims = createClaims({ ...common, conferences, replenishment, leaseSeconds, takeClaimSlot });

  return {
    accessChecks: adapters.accessChecks,
    clock,
    serviceTagBaseUrl: settings.serviceTagBaseUrl,
    maxLevel,
    conferences,
    sharedList: createSharedList(background, clock),
    replenishment,
    claims,
    idempotentClaims: createIdempotentClaims({
      ...common,
      claims,
      records: adapters.createRecords,
      conferences,
    }),
    deletionQueueWriter: createDeletionQueueWriter(common),
    bulkDeletion: createBulkDeletion(inBackground),
    provisioning: createProvisioning({
      ...inBackground,
      random: adapters.random,
      hostPin,
      template,
      readyDelaySeconds,
    }),
    garbageCollection: createGarbageCollection({
      ...inBackground,
      status,
      maxAgeHours,
      ...settings.garbage,
    }),
    metricsRun: createMetricsRun({
      ...inBackground,
      queues,
      status,
      replenishment,
      sink: adapters.metricsSink,
      tokenFailure: adapters.tokenFailure,
      newId,
      instanceId: newId(),
      version,
      minLevel,
      fingerprint: roomFingerprint(template, hostPin),
    }),
  };
}
