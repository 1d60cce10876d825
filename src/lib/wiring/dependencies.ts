/** The object graph: every part is made here, once. */
import { createMetricsCollection } from "../metrics/collection.ts";
import { createConferences } from "../platform/conferences.ts";
import { withRetries } from "../platform/retry.ts";
import { createPlatformStatus } from "../platform/status.ts";
import { createBulkDeletion } from "../pool/bulk-deletion.ts";
import { createClaims } from "../pool/claim.ts";
import { createEndedRooms } from "../pool/ended-rooms.ts";
import { createGarbageCollection } from "../pool/garbage-collection.ts";
import { createProvisioning } from "../pool/provisioning.ts";
import { createReplenishment } from "../pool/replenishment.ts";
import type { Settings } from "../settings/settings.ts";
import type { Adapters } from "./adapters.ts";
import { version } from "./version.ts";

export type Dependencies = ReturnType<typeof createDependencies>;

// Enough to keep every slot busy while other claims are with the storage, few enough that the first are soon done.
const claimsPerPlatformSlot = 4;

/** What the functions get. Calls that somebody waits for go before those of the background. */
export function createDependencies(settings: Settings, adapters: Adapters) {
  const { accessChecks, clock, random, newId, queues } = adapters;
  const { maxRooms, minRooms, leaseSeconds, readyDelaySeconds } = settings.pool;
  const platformTimeoutSeconds = settings.platform.timeoutSeconds;

  const client = withRetries(adapters.platformClient, clock, random);
  const conferences = createConferences(client);
  const backgroundConferences = createConferences(client.background);
  const status = createPlatformStatus(client.background);
  const replenishment = createReplenishment({ ...queues, maxRooms });

  return {
    accessChecks,
    clock,
    serviceTagBaseUrl: settings.serviceTagBaseUrl,
    maxRooms,
    // A list of many pages must not hold up those who wait for a room.
    conferences: { ...conferences, list: backgroundConferences.list },
    replenishment,
    claims: createClaims({
      ...queues,
      replenishment,
      conferences,
      clock,
      leaseSeconds,
      platformTimeoutSeconds,
      maxClaimsAtOnce: claimsPerPlatformSlot * settings.platform.maxConcurrency,
    }),
    endedRooms: createEndedRooms({ ...queues, clock }),
    bulkDeletion: createBulkDeletion({ ...queues, conferences: backgroundConferences, clock }),
    provisioning: createProvisioning({
      ...queues,
      ...settings.rooms,
      conferences: backgroundConferences,
      clock,
      random,
      maxRooms,
      readyDelaySeconds,
      leaseSeconds,
      platformTimeoutSeconds,
    }),
    garbageCollection: createGarbageCollection({
      ...queues,
      ...settings.garbage,
      conferences: backgroundConferences,
      status,
      clock,
    }),
    metricsCollection: createMetricsCollection({
      queues,
      conferences: backgroundConferences,
      status,
      replenishment,
      sink: adapters.metricsSink,
      clock,
      newId,
      instanceId: newId(),
      version,
      maxRooms,
      minRooms,
    }),
  };
}
