/** Histories that once broke a promise or that reveal a planted bug, and that random histories rarely contain. */
import type { Command, FaultAt, History, Step } from "./history.ts";

const create: Command = { kind: "create", isLegacy: false, hasTag: false };
const collect: Command = { kind: "garbage" };

function step(
  command: Command,
  pauseMilliseconds: number,
  seed: number,
  options: { process?: 0 | 1; faults?: readonly FaultAt[] } = {},
): Step {
  return { command, pauseMilliseconds, seed, process: options.process ?? 0, faults: options.faults ?? [] };
}

const foreign = [0, 1].map((index) => ({ of: "foreign" as const, index }));
const newest = { of: "handed-out", index: 0 } as const;
const late: FaultAt = { call: 2, fault: "late", times: 1 };
const lateCreate = (seed: number) => step(create, 15_000, seed, { faults: [late] });
const taggedCreate: Command = { kind: "create", isLegacy: false, hasTag: true };

export const foundHistories: Readonly<Record<string, History>> = {
  "a claim is suspended for longer than its lease before it deletes the message": {
    steps: [
      step(create, 600_000, 739704762, {
        faults: [
          { call: 2, fault: "freeze", times: 1 },
          { call: 4, fault: "not-sent", times: 1 },
        ],
      }),
      step(create, 0, 0, { process: 1 }),
      step(collect, 0, 902206586),
    ],
    provisioningFaults: [],
    seed: 14,
  },
  "a change times out and takes effect during the next claims": {
    steps: [
      step(create, 15_000, 1, { faults: [late] }),
      step(create, 310_000, 2, { process: 1 }),
      step(create, 15_000, 30, { faults: [late, { call: 3, fault: "refused", times: 1 }] }),
      step(create, 0, 4, { process: 1 }),
    ],
    provisioningFaults: [],
    seed: 5,
  },
  "a change is lost, and then its message cannot be deleted": {
    steps: [step(create, 900_000, 1, { faults: [{ call: 2, fault: "lost-before", times: 3 }] })],
    provisioningFaults: [],
    seed: 5,
  },
  "a trial times out and takes effect when others have the room": {
    steps: [
      ...[1, 2].map(lateCreate),
      step(create, 25_000, 3, { faults: [late] }),
      step(taggedCreate, 21_000, 4, { faults: [late] }),
      ...[5, 6, 7, 8, 9, 10].map((seed) => step(create, 1000, seed, { process: 1 })),
    ],
    provisioningFaults: [],
    seed: 5,
  },
  "a conference of another system does not end, and both its rooms are on the deletion queue": {
    steps: [
      step({ kind: "add", of: "foreign" }, 0, 1),
      step({ kind: "add", of: "foreign" }, 0, 1),
      step({ kind: "conference-start", target: { of: "foreign", index: 0 } }, 0, 2),
      step({ kind: "conference-start", target: { of: "foreign", index: 1 } }, 0, 2),
      step({ kind: "event", targets: foreign, copies: 1, delaySeconds: 0 }, 610_000, 3),
    ],
    provisioningFaults: [],
    seed: 5,
  },
  "a conference runs in a discarded room when the collector comes, and ends afterwards": {
    steps: [
      step(create, 1000, 1, { faults: [{ call: 2, fault: "lost-before", times: 1 }] }),
      step({ kind: "conference-start", target: { of: "pooled", index: 5 } }, 610_000, 2),
      step(collect, 60_000, 3),
    ],
    provisioningFaults: [],
    seed: 5,
  },
  "the live check of a room with a conference gets a page": {
    steps: [
      step(create, 600_000, 1),
      step({ kind: "conference-start", target: newest }, 1000, 2),
      step({ kind: "event", targets: [newest], copies: 1, delaySeconds: 0 }, 610_000, 3),
      step(collect, 60_000, 4, { faults: [{ call: 2, fault: "malformed-response", times: 1 }] }),
    ],
    provisioningFaults: [],
    seed: 5,
  },
};
