/** The object graph: creates every part and every adapter once. */
import { randomUUID } from "node:crypto";
import { createAccessChecks } from "./auth/access.ts";
import { createBearerCheck } from "./auth/bearer.ts";
import { createContactCentreCheck } from "./auth/contact-centre.ts";
import { createSigningKeys } from "./auth/signing-keys.ts";
import { openCreateRecords } from "./azure/blob-records.ts";
import { createCredential } from "./azure/credential.ts";
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
import { createPlatformStatus } from "./platform/status.ts";
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
    platformClient: createClient(
      createTransport(platform.url, platform.timeoutSeconds, platform.secureContext),
      {
        timeoutSeconds: platform.timeoutSeconds,
        maxConcurrency: platform.maxConcurrency,
        credentials: createCredentials(platform, clock),
        clock,
      },
    ),
    accessChecks: createAccessChecks({
      eventSink: settings.eventSink,
      checkBearer: createBearerCheck(settings.bearer, signingKeys),
      checkAgent: createContactCentreCheck(settings.contactCentre, clock),
    }),
    prefetchKeys: async () => signingKeys.prefetch(),
    metricsSink: createMetricsSink<MetricsRow>(settings.logsIngestion, credential),
    clock,
    random: secureRandom,
    newId: (): string => randomUUID(),
  };
}

/** The adapters to everything outside the process. Tests and the simulation replace them. */
export type Adapters = Readonly<Omit<ReturnType<typeof createAdapters>, "prefetchKeys">>;

/** Everything that a function can ask for. */
export type Dependencies = ReturnType<typeof createDependencies>;

/** Creates the object graph without opening a connection. */
export function createDependencies(settings: Settings, adapters: Adapters) {
  const { accessChecks, queues, createRecords, clock, random, newId, platformClient } = adapters;
  const { hostPin, template } = settings.rooms;
  // Serves requests whose caller waits.
  const conferences = createConferences(platformClient);
  // Serves background work and lists, whose many pages must not delay requests for a room.
  const background = createConferences(platformClient.background);

  // Each part takes from these what its options name.
  const common = {
    ...queues,
    ...settings.pool,
    ...settings.rooms,
    platformTimeoutSeconds: settings.platform.timeoutSeconds,
    clock,
    random,
    newId,
  };
  const replenishment = createReplenishment(common);
  const { claimSlots } = platformClient;
  const claims = createClaims({ ...common, conferences, replenishment, claimSlots });
  const inBackground = {
    ...common,
    conferences: background,
    status: createPlatformStatus(platformClient.background),
    takeSlot: platformClient.background.takeSlot,
  };

  return {
    accessChecks,
    clock,
    serviceTagBaseUrl: settings.serviceTagBaseUrl,
    maxRooms: settings.pool.maxRooms,
    conferences,
    sharedList: createSharedList(background, clock),
    replenishment,
    claims,
    idempotentClaims: createIdempotentClaims({ ...common, claims, conferences, records: createRecords }),
    deletionQueueWriter: createDeletionQueueWriter(common),
    bulkDeletion: createBulkDeletion(inBackground),
    provisioning: createProvisioning(inBackground),
    garbageCollection: createGarbageCollection({ ...inBackground, ...settings.garbage }),
    metricsRun: createMetricsRun({
      ...inBackground,
      queues,
      replenishment,
      sink: adapters.metricsSink,
      instanceId: newId(),
      version,
      fingerprint: roomFingerprint(template, hostPin),
    }),
  };
}
