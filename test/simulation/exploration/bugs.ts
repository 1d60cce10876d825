/** Which scenario finds which planted bug. */
import { inCopyWith } from "../plant-bug.ts";
import type { PlantedBug } from "../planted-bugs.ts";
import type { PromiseName } from "../promises.ts";
import type { brokenPromise } from "./explore-scenarios.ts";

interface Home {
  readonly scenario: string;
  readonly breaks: PromiseName;
  /** How many faults it takes at most; one by default. */
  readonly faults?: number;
  /** Whether `npm test` checks it. */
  readonly isInEveryTestRun?: true;
}

const notPool = { reason: "about what the API returns or logs, not about an order of effects" };

/** For each planted bug the scenario that shows it, or the reason why none does. */
export const scenariosOfBugs: Readonly<Record<string, Home | { readonly reason: string }>> = {
  "responds before the delete is confirmed": {
    scenario: "a claim whose lease ends",
    breaks: "handed-out-twice",
  },
  "treats a lost lease as a commit": {
    scenario: "a claim whose lease ends",
    breaks: "handed-out-twice",
    isInEveryTestRun: true,
  },
  "treats a missing message as its own delete after the lease": {
    scenario: "a claim whose lease ends",
    breaks: "handed-out-twice",
    faults: 2,
  },
  "does not check the marker": { scenario: "a claim whose lease ends", breaks: "handed-out-twice" },
  "keeps a room whose change has an unknown outcome": {
    reason: "needs a change that takes effect minutes after its timeout, which only the simulation has",
  },
  "requests no replacement": {
    scenario: "two repeats with one idempotency key",
    breaks: "pool-level-wrong",
    isInEveryTestRun: true,
  },
  "returns its own room if another request with the same key was faster": {
    scenario: "two repeats with one idempotency key",
    breaks: "repeated-create-differs",
    isInEveryTestRun: true,
  },
  "logs the guest PIN": notPool,
  "retries the put into the pool": {
    scenario: "provisioning with a lost answer at each call",
    breaks: "handed-out-twice",
    isInEveryTestRun: true,
  },
  "creates the room before its name is in the pool": {
    scenario: "provisioning with a lost answer at each call",
    breaks: "room-lost",
  },
  "provisions rooms however many the pool holds": {
    reason: "one room too many is within the tolerance of a pool of so few",
  },
  "creates a room whose name was discarded while provisioning was suspended": {
    scenario: "provisioning with a lost answer at each call",
    breaks: "room-lost-by-one-fault",
  },
  "queues a room for deletion that was claimed while provisioning was suspended": {
    scenario: "provisioning with a lost answer at each call",
    breaks: "handed-out-twice",
  },
  "collects rooms of any age": { scenario: "claim, stray event and collector", breaks: "deleted-too-early" },
  "collects live rooms": {
    scenario: "a live and a persistent room before the collector",
    breaks: "deleted-too-early",
  },
  "collects by the row of the list, which can be minutes old": {
    scenario: "claim, stray event and collector",
    breaks: "deleted-too-early",
  },
  "collects persistent rooms": {
    scenario: "a live and a persistent room before the collector",
    breaks: "protected-room-deleted",
    isInEveryTestRun: true,
  },
  "removes a room's older messages first and continues after its leases": {
    scenario: "two collectors",
    breaks: "ended-room-kept",
  },
  "deletes persistent rooms in bulk": { scenario: "claim and bulk delete", breaks: "protected-room-deleted" },
  "leaves leased names in the pool on bulk delete": {
    scenario: "claim and bulk delete",
    breaks: "handed-out-twice",
  },
  "acknowledges an event before its name is stored": {
    scenario: "an event with each failure",
    breaks: "event-lost",
  },
  "takes another event for a retry of one that was not stored completely": {
    reason: "needs a body of several names",
  },
  "returns the host PIN from create": notPool,
  "retries writes whose outcome is unknown": {
    reason: "the retry's 400 leads to the room that the first attempt made, which is then deleted",
  },
  "lets messages expire after seven days, the storage's default": {
    scenario: "two claims and one message",
    breaks: "room-lost-by-one-fault",
  },
};

/** Returns the promise that the scenario finds broken by a gateway with this bug. */
export async function brokenPromiseWith(
  bug: PlantedBug,
  { scenario, faults = 1 }: Home,
): Promise<string | undefined> {
  return inCopyWith(bug, async (root) => {
    const copy: { brokenPromise: typeof brokenPromise } = await import(
      new URL("test/simulation/exploration/explore-scenarios.ts", root).href
    );
    return copy.brokenPromise(scenario, faults);
  });
}
