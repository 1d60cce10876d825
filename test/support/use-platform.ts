/** A simulated conferencing platform for the tests of what calls it. */
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../local/simulators/platform/platform-simulator.ts";
import { useStartedPerTest } from "./use-started.ts";

export const platformAccount = { username: "api-user", password: "api-password" } as const;

type Options = Parameters<typeof startPlatformSimulator>[0];

/** Starts a new, empty platform with `platformAccount` for each test. */
export function usePlatform(options: Partial<Options> = {}): PlatformSimulator {
  return useStartedPerTest(async () => startPlatformSimulator({ ...platformAccount, ...options }));
}
