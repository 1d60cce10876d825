/** Connects to the platform with the operator's credentials, through the app's own client. */

import { createPlatformClient, withRetries } from "../../../src/lib/platform/client.ts";
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { createCredentials } from "../../../src/lib/platform/transport.ts";
import { secureRandom, systemClock } from "../../../src/lib/ports.ts";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import type { Platform } from "./target.ts";

/** Does not connect: the first call does. */
export function openPlatform({ url, timeoutSeconds, maxConcurrency, logIn }: Settings["platform"]): Platform {
  const client = createPlatformClient({
    url,
    timeoutSeconds,
    maxConcurrency,
    credentials: createCredentials({ url, timeoutSeconds, logIn }, systemClock),
    clock: systemClock,
  });
  const { background } = withRetries(client, systemClock, secureRandom);
  return { conferences: createConferences(background), status: createPlatformStatus(background) };
}
