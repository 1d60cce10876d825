/** Why provisioning fails, from the timeline. */
import type { TimelineEntry } from "../console/console-state.ts";

const failuresInARow = 3;

/** Returns why the newest rooms were not provisioned, after some failures in a row. */
export function describeProvisioningProblem(entries: readonly TimelineEntry[]): string | undefined {
  const newest = entries.filter(({ title }) => title === "provisionRoom").slice(-failuresInARow);
  return newest.filter(({ tone }) => tone === "bad").length === failuresInARow
    ? newest.at(-1)?.cause
    : undefined;
}
