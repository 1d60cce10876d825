/** How long and how hard a run is. */
import type { ChaosOptions } from "./chaos.ts";

type Extent = Omit<ChaosOptions, "seed" | "bundlePath" | "print" | "onLogLine" | "stopping">;

export const fullRun: Extent = {
  claims: 10_000,
  claimsPerSecond: 25,
  claimsPerSweep: 2000,
  processes: 4,
  poolSize: 60,
  secondsBetweenKills: 4,
  secondsBetweenOutages: 25,
  longestOutageSeconds: 10,
};

export const shortRun: Extent = {
  claims: 360,
  claimsPerSecond: 18,
  claimsPerSweep: 250,
  processes: 4,
  poolSize: 50,
  secondsBetweenKills: 3,
  secondsBetweenOutages: 8,
  longestOutageSeconds: 2.5,
};
