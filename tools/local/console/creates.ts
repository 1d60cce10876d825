/** Summarises the timeline: what became of creates, and why provisioning failed. */
import type { TimelineEntry } from "./console-state.ts";

const failuresInARow = 3;

/** What became of a create; undefined for other entries, and for a create that the caller got wrong. */
function outcomeOf({ title, status, tone }: TimelineEntry): "handed-out" | "empty" | "failed" | undefined {
  if (!/^POST \/room\/create(\/old)?$/.test(title)) return undefined;
  if (status === 200) return "handed-out";
  if (status === 404) return "empty";
  return tone === "bad" ? "failed" : undefined;
}

/** Returns how many creates there were, and how many failed with 5xx or found the pool empty. */
export function summarizeCreates(entries: readonly TimelineEntry[]) {
  const creates = entries.filter((entry) => outcomeOf(entry) !== undefined);
  const countOf = (outcome: string) => creates.filter((create) => outcomeOf(create) === outcome).length;
  return {
    count: creates.length,
    failed: countOf("failed"),
    empty: countOf("empty"),
  };
}

/** Returns why the newest rooms were not provisioned, after some failures in a row. */
export function describeProvisioningProblem(entries: readonly TimelineEntry[]): string | undefined {
  const newest = entries.filter(({ title }) => title === "provisionRoom").slice(-failuresInARow);
  return newest.filter(({ tone }) => tone === "bad").length === failuresInARow
    ? newest.at(-1)?.cause
    : undefined;
}
