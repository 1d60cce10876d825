/** The commands that fast-check generates, with their weights and target rooms. */
import fc from "fast-check";
import type { Command, Target } from "./history.ts";

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
export const poolTargets = fc.array(target("handed-out", "pooled"), { minLength: 1, maxLength: 3 });
const conferenceTarget = target("handed-out", "pooled", "plain");
const anyTargets = fc.array(anyTarget, { minLength: 1, maxLength: 3 });
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const { boolean, constantFrom, integer, nat, record } = fc;

const changes = constantFrom("remove" as const, "remove", "describe", "retag");
const outageFaults = constantFrom("not-sent" as const, "throttled", "lost-before", "lost-after", "late");

export const collect: fc.Arbitrary<Command> = record({ kind: kind("garbage") });

export const create: fc.Arbitrary<Command> = record({
  kind: kind("create"),
  isLegacy: boolean(),
  hasTag: boolean(),
  repeatAfterSeconds: constantFrom(undefined, undefined, undefined, [0], [1], [0, 40]),
});

/** The end of conferences in rooms of these kinds. */
export const endOf = (targets: typeof anyTargets): fc.Arbitrary<Command> =>
  record({
    kind: kind("event"),
    targets,
    copies: integer({ min: 1, max: 2 }),
    delaySeconds: constantFrom(0, 1, 60, 700),
  });

const weighted: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<Command>])[] = [
  [16, create],
  [2, record({ kind: kind("read"), target: anyTarget, isPublic: boolean(), isFull: boolean() })],
  [1, record({ kind: kind("list"), isFull: boolean() })],
  [3, record({ kind: kind("update"), target: anyTarget, field: constantFrom("description", "tag", "name") })],
  [3, record({ kind: kind("delete"), target: anyTarget })],
  [5, endOf(anyTargets)],
  [1, record({ kind: kind("unusable-event"), index: nat(5) })],
  [3, record({ kind: kind("conference-start"), target: conferenceTarget })],
  [4, record({ kind: kind("conference-end"), target: conferenceTarget })],
  [6, collect],
  [2, record({ kind: constantFrom("metrics", "metrics", "health") })],
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

export const command: fc.Arbitrary<Command> = fc.oneof(
  ...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })),
);
