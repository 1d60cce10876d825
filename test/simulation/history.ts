/**
 * Histories as fast-check generates and shrinks them: steps from outside the gateway, and the faults of invocations.
 */
import fc from "fast-check";
import { type Fault, faults } from "./faults.ts";

type Generated<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

const { boolean, constant, constantFrom, nat, record } = fc;

type RoomKind = "handed-out" | "pooled" | "persistent" | "foreign" | "plain" | "unknown";

/**
 * The room that a command is about: the n-th of its kind, counted from the newest. `unknown` is a name without a room.
 */
const target = (...of: RoomKind[]) => record({ of: constantFrom(...of), index: nat(5) });
export type Target = Generated<ReturnType<typeof target>>;

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
const conferenceTarget = target("handed-out", "handed-out", "pooled", "plain", "foreign");

/** A kind of command, with how often it occurs in comparison with others. */
function command<Kind extends string, Details>(
  kind: Kind,
  weight: number,
  details: { [Name in keyof Details]: fc.Arbitrary<Details[Name]> },
) {
  return { kind, weight, arbitrary: record(details).map((values) => ({ kind, ...values })) };
}

const commands = [
  command("create", 16, {
    hasTag: boolean(),
    /** Sends an idempotency key, and the request again with the same key after each of these delays. */
    repeatAfterSeconds: constantFrom(undefined, undefined, undefined, [0], [1], [0, 40]),
  }),
  command("garbage", 6, {}),
  /** The end of conferences is reported to the event sink. */
  command("event", 7, { targets: fc.array(anyTarget, { minLength: 1, maxLength: 3 }) }),
  command("update", 3, { target: anyTarget, field: constantFrom("description", "tag", "name") }),
  command("delete", 3, { target: anyTarget }),
  command("conference-start", 3, { target: conferenceTarget }),
  command("conference-end", 4, { target: conferenceTarget }),
  command("metrics", 2, {}),
  command("bulk-delete", 2, {}),
  command("bulk-create", 3, { level: constantFrom(undefined, 0, 5, 8, 12) }),
  command("remove", 1, { target: anyTarget }),
  command("add", 1, { of: constantFrom("persistent" as const, "foreign", "plain") }),
  command("crash", 1, {}),
  command("outage", 1, {
    on: constantFrom("platform" as const, "platform", "storage"),
    fault: constantFrom("not-sent" as const, "throttled", "lost-before", "lost-after", "late"),
    seconds: constantFrom(5, 60, 400),
  }),
];
export type Command = Generated<(typeof commands)[number]["arbitrary"]>;

const seed = fc.noShrink(nat());

const faultAt = (kinds: readonly Fault[]): fc.Arbitrary<FaultAt> =>
  record({ call: nat(8), fault: constantFrom(...kinds), times: constantFrom(1, 1, 2, 4) });

export interface FaultAt {
  /** The number of the port call within the invocation. */
  readonly call: number;
  readonly fault: Fault;
  /** The number of consecutive calls, starting with this one. */
  readonly times: number;
}

export interface Step {
  readonly command: Command;
  /** The pause before the next step. */
  readonly pauseMilliseconds: number;
  /** The process that receives the step. */
  readonly process: number;
  readonly faults: readonly FaultAt[];
  /** Determines the delays in this invocation. */
  readonly seed: number;
}

export interface History {
  readonly steps: readonly Step[];
  /** Faults in provisioning runs, by the number of the run. */
  readonly provisioningFaults: readonly (FaultAt & { readonly run: number })[];
  /** By how much the clock of the first process is fast; by none if missing. */
  readonly skewMilliseconds?: number;
  /** The default is 90. */
  readonly readyDelaySeconds?: number;
  /** The default is 300. */
  readonly leaseSeconds?: number;
  readonly seed: number;
}

/** Up to 36 steps of some kinds, with faults of some kinds: many of a few kinds find more than a few of all kinds. */
export const histories: fc.Arbitrary<History> = record({
  absent: fc.subarray(commands.map(({ kind }) => kind).filter((kind) => kind !== "create")),
  kinds: fc.oneof(
    { weight: 2, arbitrary: constant([...faults]) },
    { weight: 4, arbitrary: fc.subarray([...faults], { minLength: 1, maxLength: 2 }) },
    // Without faults, no room may be lost.
    { weight: 2, arbitrary: constant<Fault[]>([]) },
  ),
}).chain(({ absent, kinds }) => {
  const isWithout = kinds.length === 0;
  const excluded = isWithout ? [...absent, "crash", "outage"] : absent;
  const faultsOf = <Place extends FaultAt>(place: () => fc.Arbitrary<Place>, maxLength: number) =>
    isWithout ? constant([]) : fc.array(place(), { maxLength });
  const step: fc.Arbitrary<Step> = record({
    command: fc.oneof(...commands.filter(({ kind }) => !excluded.includes(kind))),
    pauseMilliseconds: constantFrom(0, 0, 0, 20, 100, 1000, 100_000, 290_000, 310_000, 610_000),
    process: constantFrom(0, 1),
    faults: fc.oneof(
      { weight: 3, arbitrary: constant([]) },
      { weight: 2, arbitrary: faultsOf(() => faultAt(kinds), 3) },
    ),
    seed,
  });
  return record({
    steps: fc.array(step, { minLength: 1, maxLength: 36, size: "max" }),
    provisioningFaults: faultsOf(
      () => fc.tuple(faultAt(kinds), nat(12)).map(([fault, run]) => ({ ...fault, run })),
      5,
    ),
    // As far as the clocks of instances may differ.
    skewMilliseconds: constantFrom(0, 0, 5000, -5000),
    readyDelaySeconds: constantFrom(90, 90, 900),
    leaseSeconds: constantFrom(300, 300, 60),
    seed,
  });
});

export type HistoryFacts = ReturnType<typeof factsOf>;

/** Returns what the audit must know about a history. */
export function factsOf({ steps, provisioningFaults }: History) {
  const countOf = (...kinds: Command["kind"][]) =>
    steps.filter(({ command: { kind } }) => kinds.includes(kind)).length;
  const levels = steps.map(({ command: each }) => (each.kind === "bulk-create" ? (each.level ?? 0) : 0));
  const faultCount = provisioningFaults.length + steps.flatMap((step) => step.faults).length;
  return {
    isWithoutFaults: faultCount + countOf("outage", "crash") === 0,
    isBulkDeleted: countOf("bulk-delete") > 0,
    /** How many rooms may be missing: a claim that finds several pooled rooms deleted requests only one. */
    removals: countOf("delete", "remove"),
    /** The highest level that a bulk create asks for. */
    maxRequestedLevel: Math.max(0, ...levels),
  };
}
