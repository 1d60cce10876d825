/** Starts a simulated platform for tests, with clients that call it. */

import { type ClientOptions, createClient, type PlatformClient } from "../../src/lib/platform/client.ts";
import { createBasicCredentials, createTransport } from "../../src/lib/platform/transport.ts";
import { platformAccount } from "../../tools/simulators/identities.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../tools/simulators/platform/platform-simulator.ts";
import { useStartedPerTest } from "./use-started.ts";

export const conferencePath = "/api/admin/configuration/v1/conference/";

/** Starts a new, empty platform for each test. */
export function usePlatform(now?: () => number): PlatformSimulator {
  return useStartedPerTest(async () => startPlatformSimulator(now));
}

/** Returns a client, by default with the credentials of `platformAccount` and a manual clock. */
export function newPlatformClient(url: string, options: Partial<ClientOptions> = {}): PlatformClient {
  return createClient(createTransport(url, options.timeoutSeconds ?? 20), {
    timeoutSeconds: 20,
    maxConcurrency: 5,
    credentials: createBasicCredentials(platformAccount.username, platformAccount.password),
    clock: createManualClock(),
    ...options,
  });
}
