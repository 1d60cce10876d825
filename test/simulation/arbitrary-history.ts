/** The histories that fast-check generates and shrinks: commands with their weights, faults, and bursts. */
import fc from "fast-check";
import { type Fault, faults } from "./faults.ts";
import type { Command, FaultAt, History, Step, Target } from "./history.ts";

const target = (...of: Target["of"][]): fc.Arbitrary<Target> =>
  fc.record({ of: fc.constantFrom(...of), index: fc.nat(5) });
const anyTarget = target(
  "handed-out",
  "handed-out",
  "handed-out",
  "pooled",
  "persistent",
  "foreign",
  "plain",
  "unknown",
);
const poolTargets = fc.array(target("handed-out", "pooled"), { minLength: 1, maxLength: 3 });
const conferenceTarget = target("handed-out", "handed-out", "pooled", "plain", "foreign");
const anyTargets = fc.array(anyTarget, { minLength: 1, maxLength: 3 });
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const { boolean, constantFrom, integer, record } = fc;

const changes = constantFrom("remove" as const, "remove", "describe", "retag");
const outageFaults = constantFrom("not-sent" as const, "throttled", "lost-before", "lost-after", "late");

const collect: fc.Arbitrary<Command> = record({ kind: kind("garbage") });

const create: fc.Arbitrary<Command> = record({
  kind: kind("create"),
  isLegacy: boolean(),
  hasTag: boolean(),
  repeatAfterSeconds: constantFrom(undefined, undefined, undefined, [0], [1], [0, 40]),
});

/** The end of conferences in rooms of these kinds. */
const endOf = (targets: typeof anyTargets): fc.Arbitrary<Command> =>
  record({
    kind: kind("event"),
    targets,
    copies: integer({ min: 1, max: 2 }),
    delaySeconds: constantFrom(0, 1, 60, 700),
  });

const weighted: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Command>])[] = [
  [16, create],
  [3, record({ kind: kind("update"), target: anyTarget, field: constantFrom("description", "tag", "name") })],
  [3, record({ kind: kind("delete"), target: anyTarget })],
  [5, endOf(anyTargets)],
  [3, record({ kind: kind("conference-start"), target: conferenceTarget })],
  [4, record({ kind: kind("conference-end"), target: conferenceTarget })],
  [6, collect],
  [2, record({ kind: kind("metrics") })],
  [2, record({ kind: kind("bulk-delete") })],
  [3, record({ kind: kind("bulk-create"), level: constantFrom(undefined, 0, 5, 8, 12) })],
  [2, record({ kind: kind("direct"), change: changes, target: anyTarget })],
  [1, record({ kind: kind("add"), of: constantFrom("persistent", "foreign", "plain") })],
  [1, record({ kind: kind("crash") })],
  [
    1,
    record({
      kind: kind("outage"),
      on: constantFrom("platform", "platform", "storage"),
      fault: outageFaults,
      seconds: constantFrom(5, 60, 400),
    }),
  ],
];

const command: fc.Arbitrary<Command> = fc.oneof(
  ...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })),
);

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

/** As far as the clocks of instances may differ. */
const skewMilliseconds = fc.constantFrom(0, 0, 5000, -5000);

const everything: fc.Arbitrary<History> = fc.record({
  steps,
  skewMilliseconds,
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
  "update",
  "delete",
  "event",
  "conference-start",
  "conference-end",
  "garbage",
  "metrics",
  "bulk-delete",
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
  { steps, provisioningFaults, ...rest }: History,
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
    ...rest,
  };
}

/** Up to 50 steps or bursts of all kinds. */
const mixtures: fc.Arbitrary<History> = fc
  .tuple(everything, fc.noShrink(selection))
  .map(([history, chosen]) => select(history, chosen));

/** The second of two faults. The invocation meets it after it has survived the first. */
const secondFault = fc.record({
  distance: fc.constantFrom(1, 2),
  fault: fc.constantFrom<Fault>("not-sent", "refused", "throttled", "lost-before", "lost-after"),
  times: fc.constantFrom(0, 1, 2),
});

const end = endOf(poolTargets);

const otherOf = (of: fc.Arbitrary<Command>): fc.Arbitrary<Step> =>
  fc.record({
    command: of,
    pauseMilliseconds: fc.constantFrom(0, 20),
    process: fc.constantFrom(1, 1, 1, 0),
    faults: fc.constant([]),
    seed,
  });

const parts = fc.record({
  before: fc.array(fc.oneof(create, end), { maxLength: 2 }),
  overtaken: fc.oneof(create, create, collect, end, command),
  slow: fc.constantFrom("step", "step", "step", "provisioning"),
  first: fc.constantFrom("freeze" as const, "late"),
  call: fc.nat(5),
  second: secondFault,
  others: fc.oneof(
    fc.array(otherOf(fc.oneof(create, create, create, end, command)), { minLength: 1, maxLength: 4 }),
    // Enough to claim every room of the pool.
    fc.array(otherOf(create), { minLength: 7, maxLength: 8 }),
  ),
  skewMilliseconds,
  seed,
});

/** Longer than a lease, than a new name is invisible, and than a call's timeout. */
const pauses = { ofLease: 310_000, ofName: 610_000, ofCall: 15_000 };

/** One invocation is suspended, or its call is late, and others use the rooms in the meantime. */
const overtakings: fc.Arbitrary<History> = parts.map((history) => {
  const {
    before,
    overtaken,
    slow,
    first,
    call,
    second,
    others,
    skewMilliseconds,
    seed: historySeed,
  } = history;
  const faults: FaultAt[] = [
    { call, fault: first, times: 1 },
    { call: call + second.distance, fault: second.fault, times: second.times },
  ];
  const isProvisioning = slow === "provisioning";
  const stepOf = (each: Command, pauseMilliseconds: number, faultsOfStep: FaultAt[]): Step => ({
    command: each,
    process: 0,
    pauseMilliseconds,
    faults: faultsOfStep,
    seed: historySeed,
  });
  const pauseOfFreeze = isProvisioning ? pauses.ofName : pauses.ofLease;
  return {
    steps: [
      ...before.map((each) => stepOf(each, pauses.ofName, [])),
      stepOf(overtaken, first === "freeze" ? pauseOfFreeze : pauses.ofCall, isProvisioning ? [] : faults),
      ...others,
    ],
    provisioningFaults: isProvisioning ? faults.map((each) => ({ ...each, run: before.length })) : [],
    skewMilliseconds,
    seed: historySeed,
  };
});

export const histories: fc.Arbitrary<History> = fc.oneof(mixtures, overtakings);
