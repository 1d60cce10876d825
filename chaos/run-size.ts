/** How long and how hard a run is. */
import type { ChaosOptions } from "./chaos.ts";

type Extent = Omit<ChaosOptions, "seed" | "bundlePath" | "print" | "onLogLine" | "stopping">;

export const fullRun: Extent = {
  claims: 10_000,
  minClaims: 10_000,
  minKindsOfFaults: 7,
  callers: 20,
  maxLoadSeconds: 900,
  sweepsAtClaims: [2000, 4000, 6000, 8000],
  processes: 4,
  poolSize: 60,
  secondsBetweenKills: 8,
  secondsBetweenOutages: 45,
  maxOutageSeconds: 8,
};

export const shortRun: Extent = {
  claims: 500,
  minClaims: 100,
  minKindsOfFaults: 3,
  callers: 20,
  maxLoadSeconds: 17,
  sweepsAtClaims: [80],
  processes: 4,
  poolSize: 50,
  secondsBetweenKills: 3,
  secondsBetweenOutages: 8,
  maxOutageSeconds: 2.5,
};
