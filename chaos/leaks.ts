/** Why a room is on the platform that no queue and no caller knows. */
import { parseMarker } from "../src/lib/rooms/marker.ts";
import type { Kill } from "./fleet.ts";
import type { Ledger } from "./ledger.ts";
import type { LogWatch } from "./log-watch.ts";
import type { PlatformRoom } from "./platform-view.ts";

export interface LeakEvidence {
  readonly ledger: Ledger;
  readonly logs: Pick<LogWatch, "storyOf">;
  readonly kills: readonly Kill[];
}

/** Events after which a room may be left over; any other is no excuse. */
const excuses = /^(?:room-leaked|room-discard-failed|claim-lost|provisioning-failed|room-not-made-visible)\b/;
// One step of the gateway takes no longer: a storage call with its repetition, or the search for a new room.
const maxStepMilliseconds = 12_000;

/** The reason in a few words, as the logs, the callers and the kills tell it; undefined when nothing does. */
export function reasonOf(room: PlatformRoom, { ledger, logs, kills }: LeakEvidence): string | undefined {
  const story = logs.storyOf(room.name);
  const excuse = story.findLast(({ text }) => excuses.test(text));
  if (excuse) return `logged: ${excuse.text}`;
  const claim = ledger.sessions.find(({ tag }) => tag === room.tag);
  if (claim?.answer === "lost") return "the answer never reached its caller";
  const marker = parseMarker(room.description);
  const since = Date.parse(marker?.since ?? "");
  const sweep = ledger.sweeps.find(({ until }) => since < until);
  if (marker?.state === "pooled" && sweep) {
    return sweep.isDone
      ? "a bulk delete emptied the pool while the room was made"
      : "a bulk delete emptied the pool and did not get to its end";
  }
  const lastStep = story.at(-1) ?? { at: since, processId: undefined };
  const isKilled = kills.some(
    ({ at, processId }) =>
      (lastStep.processId ?? processId) === processId &&
      at >= lastStep.at &&
      at - lastStep.at < maxStepMilliseconds,
  );
  return isKilled ? `a process was killed while it had the ${marker?.state} room in hand` : undefined;
}

/** The reasons with their counts, the most frequent first. */
export function countReasons(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .toSorted((one, other) => other[1] - one[1])
    .map(([reason, count]) => `${count} × ${reason}`);
}
