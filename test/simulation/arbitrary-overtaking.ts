/** Short histories in which one invocation is slow and others overtake it. */
import fc from "fast-check";
import { collect, command, create, endOf, poolTargets } from "./arbitrary-command.ts";
import type { Fault } from "./faults.ts";
import type { Command, FaultAt, History, Step } from "./history.ts";

const seed = fc.noShrink(fc.nat());

/** The second one of two faults, which the invocation meets when it continues. */
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
  seed,
});

/** Longer than a lease, than a new name is invisible, and than a call's timeout. */
const pauses = { ofLease: 310_000, ofName: 610_000, ofCall: 15_000 };

/** One invocation is suspended, or its call is late, and others use the rooms in the meantime. */
export const overtakings: fc.Arbitrary<History> = parts.map((history) => {
  const { before, overtaken, slow, first, call, second, others, seed: historySeed } = history;
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
    seed: historySeed,
  };
});
