/** Adapters to everything outside the process, plus clock and randomness. Tests and the simulation replace them. */
import { randomUUID } from "node:crypto";
import { type AccessChecks, createAccessChecks } from "./auth/access.ts";
import { createBearerCheck } from "./auth/bearer.ts";
import { createContactCentreCheck } from "./auth/contact-centre.ts";
import { createSigningKeys } from "./auth/signing-keys.ts";
import { openCreateRecords } from "./azure/blob-records.ts";
import { createCredential } from "./azure/credential.ts";
import { createMetricsSink } from "./azure/log-workspace.ts";
import { openQueues } from "./azure/storage-account.ts";
import type { MetricsSink } from "./metrics/row.ts";
import { createPlatformClient, type PlatformClient } from "./platform/client.ts";
import { createCredentials } from "./platform/transport.ts";
import {
  type Clock,
  type CreateRecordStore,
  type Queues,
  type RandomSource,
  secureRandom,
  systemClock,
} from "./ports.ts";
import type { Settings } from "./settings/settings.ts";

/** What the object graph needs from outside the process. */
export interface Adapters {
  readonly queues: Queues;
  readonly createRecords: CreateRecordStore;
  /** Makes no retries. */
  readonly platformClient: PlatformClient;
  readonly accessChecks: AccessChecks;
  readonly metricsSink: MetricsSink;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly newId: () => string;
}

/** Creates the adapters for the given settings. Opens no connection: the first call of each adapter does. */
export function createAdapters(settings: Settings) {
  const { storage, platform } = settings;
  const clock = systemClock;
  const credential = createCredential(storage);
  const signingKeys = createSigningKeys(settings.bearer, clock);
  return {
    queues: openQueues({ storage, credential }),
    createRecords: openCreateRecords({ storage, credential }),
    platformClient: createPlatformClient({
      url: platform.url,
      timeoutSeconds: platform.timeoutSeconds,
      maxConcurrency: platform.maxConcurrency,
      credentials: createCredentials(platform, clock),
      clock,
    }),
    accessChecks: createAccessChecks({
      apiManagementSecret: settings.apiManagementSecret,
      eventSink: settings.eventSink,
      checkBearer: createBearerCheck(settings.bearer, signingKeys),
      checkAgent: createContactCentreCheck(settings.contactCentre, clock),
    }),
    prefetchKeys: async () => signingKeys.prefetch(),
    metricsSink: createMetricsSink(settings.logsIngestion, credential),
    clock,
    random: secureRandom,
    newId: randomUUID,
  } satisfies Adapters & { readonly prefetchKeys: () => Promise<void> };
}
