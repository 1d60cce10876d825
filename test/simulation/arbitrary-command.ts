/** The commands that fast-check generates, with their weights and target rooms. */
import fc from "fast-check";
import type { Command, Target } from "./history.ts";

const target = (...of: Target["of"][]): fc.Arbitrary<Target> =>
  fc.record({ of: fc.constantFrom(...of), index: fc.nat(3) });
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
const kind = <Kind extends string>(name: Kind) => fc.constant(name);

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({ kind: kind("create"), isLegacy: fc.boolean(), hasTag: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind("read"),
      target: anyTarget,
      isPublic: fc.boolean(),
      isFull: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("list"), isFull: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind("update"),
      target: anyTarget,
      field: fc.constantFrom("description", "tag", "name"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind("delete"), target: anyTarget }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind("event"),
      targets: fc.array(anyTarget, { minLength: 1, maxLength: 3 }),
      copies: fc.integer({ min: 1, max: 2 }),
      delaySeconds: fc.constantFrom(0, 1, 60, 700),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("unusable-event"), index: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("conference-start"), target: target("handed-out", "pooled", "plain") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kind("conference-end"), target: target("handed-out", "pooled", "plain") }),
  },
  { weight: 6, arbitrary: fc.record({ kind: kind("garbage") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("metrics", "metrics", "health") }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("bulk-delete") }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("bulk-create"), level: fc.constantFrom(undefined, 0, 5, 8) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind("direct"),
      change: fc.constantFrom("remove", "remove", "describe", "retag"),
      target: anyTarget,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind("add"), of: fc.constantFrom("persistent", "foreign", "plain") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("crash") }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("outage"),
      on: fc.constantFrom("platform", "platform", "storage"),
      fault: fc.constantFrom("not-sent", "throttled", "lost-before", "lost-after", "late"),
      seconds: fc.constantFrom(5, 60, 400),
    }),
  },
);
