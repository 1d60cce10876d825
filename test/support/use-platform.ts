/** Starts a simulated platform for tests, with clients that call it. */

import type { ConnectionOptions } from "../../src/lib/http-client.ts";
import { type ClientOptions, createClient, type PlatformClient } from "../../src/lib/platform/client.ts";
import { createBasicCredentials, createTransport } from "../../src/lib/platform/transport.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../tools/simulators/platform/platform-simulator.ts";
import { useStartedPerTest } from "./use-started.ts";

export const conferencePath = "/api/admin/configuration/v1/conference/";

const { platformUsername, platformPassword } = identities;
/** The credentials that the platform accepts. */
export const platformCredentials = createBasicCredentials(platformUsername, platformPassword);

/** Starts a new, empty platform for each test. */
export function usePlatform(now?: () => number): PlatformSimulator {
  return useStartedPerTest(async () => startPlatformSimulator(now));
}

/** Returns a client, by default with these credentials and a manual clock. */
export function newPlatformClient(
  url: string,
  { connection, ...options }: Partial<ClientOptions> & { readonly connection?: ConnectionOptions } = {},
): PlatformClient {
  return createClient(createTransport(url, options.timeoutSeconds ?? 20, connection), {
    timeoutSeconds: 20,
    maxConcurrency: 5,
    credentials: platformCredentials,
    clock: createManualClock(),
    ...options,
  });
}
