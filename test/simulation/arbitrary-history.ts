/** The histories that fast-check generates and shrinks. */
import fc from "fast-check";
import { command } from "./arbitrary-command.ts";
import { overtakings } from "./arbitrary-overtaking.ts";
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
  pauseMilliseconds: fc.constantFrom(0, 0, 0, 20, 100, 1000, 100_000, 290_000, 310_000, 610_000),
  process: fc.constantFrom(0, 1),
  faults: stepFaults,
  seed,
});

/** The same command several times at once. Only the first one meets faults. */
const burst: fc.Arbitrary<Step[]> = fc.tuple(step, fc.integer({ min: 1, max: 4 })).map(([first, others]) => [
  { ...first, pauseMilliseconds: 0 },
  ...Array.from({ length: others }, (_, index) => ({
    ...first,
    pauseMilliseconds: index + 1 === others ? first.pauseMilliseconds : 0,
    faults: [],
    seed: first.seed + index + 1,
  })),
]);

const single = step.map((one) => [one]);
const steps = fc
  .array(fc.oneof({ weight: 12, arbitrary: single }, { weight: 1, arbitrary: burst }), {
    minLength: 1,
    maxLength: 50,
    size: "max",
  })
  .map((groups) => groups.flat());

const everything: fc.Arbitrary<History> = fc.record({
  steps,
  provisioningFaults: fc.array(fc.record({ run: fc.nat(12), call: fc.nat(6), fault, times }), {
    maxLength: 5,
  }),
  seed,
});

/** The kinds of commands and faults in one history: many of a few kinds find more than a few of all kinds. */
interface Selection {
  readonly absent: readonly Command["kind"][];
  /** Empty: without faults, no room may be lost. */
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

/** Up to 50 steps or bursts of all kinds. */
const mixtures: fc.Arbitrary<History> = fc
  .tuple(everything, fc.noShrink(selection))
  .map(([history, chosen]) => select(history, chosen));

export const histories: fc.Arbitrary<History> = fc.oneof(mixtures, overtakings);
