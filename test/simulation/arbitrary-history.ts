/** The histories that fast-check generates and shrinks. */
import fc from "fast-check";
import { command } from "./arbitrary-command.ts";
import { type Fault, faults } from "./faults.ts";
import type { Command, FaultAt, History, Step } from "./history.ts";

const times = fc.constantFrom(1, 1, 2, 4);
const fault = fc.constantFrom(...faults);
const faultAt: fc.Arbitrary<FaultAt> = fc.record({ call: fc.nat(8), fault, times });
const seed = fc.noShrink(fc.nat());

const stepFaults = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(faultAt, { maxLength: 3 }) },
);

const step: fc.Arbitrary<Step> = fc.record({
  command,
  pauseMilliseconds: fc.constantFrom(0, 0, 0, 20, 100, 1000, 100_000, 290_000, 310_000, 600_000),
  process: fc.constantFrom(0, 1),
  faults: stepFaults,
  seed,
});

const everything: fc.Arbitrary<History> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 50, size: "max" }),
  provisioningFaults: fc.array(fc.record({ run: fc.nat(12), call: fc.nat(6), fault, times }), {
    maxLength: 5,
  }),
  seed,
});

/** The kinds of commands and faults in one history: many of a few kinds find more than a few of all kinds. */
interface Selection {
  readonly absent: readonly Command["kind"][];
  /** Empty: nothing goes wrong, so there is no excuse for losing a room. */
  readonly faults: readonly Fault[];
}

const optional: Command["kind"][] = [
  "read",
  "list",
  "update",
  "delete",
  "event",
  "unusable-event",
  "conference-start",
  "conference-end",
  "garbage",
  "metrics",
  "bulk-delete",
  "health",
  "bulk-create",
  "direct",
  "add",
  "crash",
  "outage",
];

const selection: fc.Arbitrary<Selection> = fc.record({
  absent: fc.subarray(optional),
  faults: fc.oneof(
    { weight: 2, arbitrary: fc.constant([...faults]) },
    { weight: 4, arbitrary: fc.subarray([...faults], { minLength: 1, maxLength: 2 }) },
    { weight: 2, arbitrary: fc.constant([]) },
  ),
});

function select(
  { steps, provisioningFaults, seed: historySeed }: History,
  { absent, faults: kinds }: Selection,
): History {
  const isWithoutFaults = kinds.length === 0;
  const replace = <Place extends FaultAt>(place: Place): Place[] => {
    const kind = kinds[faults.indexOf(place.fault) % kinds.length];
    return kind === undefined ? [] : [{ ...place, fault: kind }];
  };
  return {
    steps: steps
      .filter(
        ({ command: { kind } }) =>
          !absent.includes(kind) && !(isWithoutFaults && (kind === "outage" || kind === "crash")),
      )
      .map((each) => ({ ...each, faults: each.faults.flatMap(replace) })),
    provisioningFaults: provisioningFaults.flatMap(replace),
    seed: historySeed,
  };
}

/** Histories of up to 50 steps. */
export const histories: fc.Arbitrary<History> = fc
  .tuple(everything, fc.noShrink(selection))
  .map(([history, chosen]) => select(history, chosen));
