/** What a history consists of, and how fast-check makes and shrinks one. */
import fc from "fast-check";
import { type Fault, faults } from "./faults.ts";

/** Which room a command is about: the n-th of its kind, counted from the newest; `unknown` names none. */
export interface Target {
  readonly of: "handed-out" | "pooled" | "persistent" | "foreign" | "plain" | "unknown";
  readonly index: number;
}

export type Command =
  | { readonly kind: "create"; readonly isLegacy: boolean; readonly hasTag: boolean }
  | { readonly kind: "read"; readonly target: Target; readonly isPublic: boolean; readonly isFull: boolean }
  | { readonly kind: "list"; readonly isFull: boolean }
  | { readonly kind: "update"; readonly target: Target; readonly field: "description" | "tag" | "name" }
  | { readonly kind: "delete"; readonly target: Target }
  | {
      readonly kind: "event";
      readonly targets: readonly Target[];
      readonly copies: number;
      readonly delaySeconds: number;
    }
  | { readonly kind: "odd-event"; readonly index: number }
  | { readonly kind: "meet" | "leave"; readonly target: Target }
  | { readonly kind: "garbage" | "metrics" | "bulk-delete" | "health" }
  | { readonly kind: "bulk-create"; readonly level: number | undefined }
  | { readonly kind: "direct"; readonly change: "remove" | "describe" | "retag"; readonly target: Target }
  | { readonly kind: "add"; readonly of: "persistent" | "foreign" | "plain" }
  | { readonly kind: "crash" }
  | {
      readonly kind: "storm";
      readonly on: "platform" | "storage";
      readonly fault: Fault;
      readonly seconds: number;
    };

export interface FaultAt {
  /** The number of the port call within the invocation. */
  readonly call: number;
  readonly fault: Fault;
  /** How many calls in a row, from this one on. */
  readonly times: number;
}

export interface Step {
  readonly command: Command;
  /** How long it takes until the next step starts. */
  readonly pauseMilliseconds: number;
  /** Which of the two processes does it. */
  readonly process: 0 | 1;
  readonly faults: readonly FaultAt[];
  /** Decides the delays of this invocation. */
  readonly seed: number;
}

export interface History {
  readonly steps: readonly Step[];
  /** Faults of the provisioning runs, by the number of the run. */
  readonly provisioningFaults: readonly (FaultAt & { readonly run: number })[];
  readonly seed: number;
}

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

const command: fc.Arbitrary<Command> = fc.oneof(
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
  { weight: 1, arbitrary: fc.record({ kind: kind("odd-event"), index: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind("meet"), target: target("handed-out", "pooled", "plain") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kind("leave"), target: target("handed-out", "pooled", "plain") }),
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
      kind: kind("storm"),
      on: fc.constantFrom("platform", "platform", "storage"),
      fault: fc.constantFrom("not-sent", "throttled", "lost-before", "lost-after", "late"),
      seconds: fc.constantFrom(5, 60, 400),
    }),
  },
);

const fault = fc.constantFrom(...faults);
const times = fc.constantFrom(1, 1, 2, 4);
const faultAt: fc.Arbitrary<FaultAt> = fc.record({ call: fc.nat(8), fault, times });
const seed = fc.noShrink(fc.nat());

function history(commands: fc.Arbitrary<Command>, isCalm: boolean): fc.Arbitrary<History> {
  const stepFaults = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(faultAt, { maxLength: 3 }) },
  );
  const step: fc.Arbitrary<Step> = fc.record({
    command: commands,
    pauseMilliseconds: fc.constantFrom(0, 0, 0, 20, 100, 1000, 100_000, 290_000, 310_000, 600_000),
    process: fc.constantFrom(0, 1),
    faults: isCalm ? fc.constant([]) : stepFaults,
    seed,
  });
  const provisioningFault = fc.record({ run: fc.nat(12), call: fc.nat(6), fault, times });
  return fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 30, size: "max" }),
    provisioningFaults: fc.array(provisioningFault, { maxLength: isCalm ? 0 : 4 }),
    seed,
  });
}

const calmCommand = command.filter(({ kind }) => kind !== "storm" && kind !== "crash");

/** Most histories have faults; in calm ones nothing excuses a loss. */
export const histories: fc.Arbitrary<History> = fc.oneof(
  { weight: 2, arbitrary: history(command, false) },
  { weight: 1, arbitrary: history(calmCommand, true) },
);

/** Whether nothing goes wrong in a history by itself. */
export function isCalm({ steps, provisioningFaults }: History): boolean {
  return (
    provisioningFaults.length === 0 &&
    steps.every(
      ({ command, faults }) => faults.length === 0 && command.kind !== "storm" && command.kind !== "crash",
    )
  );
}
