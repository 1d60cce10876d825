/** The simulation of the pool's code: against the formula, against itself, and what a room costs. */
import { describe, expect, test } from "vitest";
import { estimateShare } from "../../capacity/confidence.ts";
import { emptyShare } from "../../capacity/erlang.ts";
import { costOfRoom } from "../../capacity/limits.ts";
import { nominalLeadSeconds } from "../../capacity/plan.ts";
import { defaultScenario, type Scenario } from "../../capacity/scenario.ts";
import { type LoadResult, runLoad } from "../../capacity/simulation/run-load.ts";

const timeout = 120_000;
const scenario: Scenario = { ...defaultScenario, perHour: 600, peak: 1, gcMaxMessages: 100 };
const load = (scenario.perHour * nominalLeadSeconds(scenario)) / 3600;
const emptyOf = ({ emptyByBlock }: LoadResult) => emptyByBlock.reduce((sum, count) => sum + count, 0);

describe("A run of 2,000 callers", { timeout }, () => {
  test.each([14, 20])("contains the formula's share of empty pools, with %i rooms", async (poolSize) => {
    const result = await runLoad({ scenario, poolSize, callers: 2000, seed: 1 });
    const { share, low, high } = estimateShare(result.callers, result.emptyByBlock, load / poolSize);
    const expected = emptyShare(poolSize, load);
    expect(low).toBeLessThan(expected);
    expect(high).toBeGreaterThan(expected);
    expect(share).toBeGreaterThan(0);
    expect(result.failed).toBe(0);
    expect(result.leadSeconds / nominalLeadSeconds(scenario)).toBeCloseTo(1, 1);
  });
});

test("A larger pool is empty less often", { timeout }, async () => {
  const runs = [1, 6, 12, 18].map(async (poolSize) => runLoad({ scenario, poolSize, callers: 500, seed: 2 }));
  const empty = (await Promise.all(runs)).map(emptyOf);
  expect(empty).toEqual(empty.toSorted((one, other) => other - one));
  expect(new Set(empty).size).toBe(empty.length);
});

test("The same load and seed give the same result, another seed another one", { timeout }, async () => {
  const small = { scenario, poolSize: 10, callers: 300, seed: 3 };
  const result = await runLoad(small);
  expect(await runLoad(small)).toEqual(result);
  expect(await runLoad({ ...small, seed: 4 })).not.toEqual(result);
  const { minutes, emptyByBlock, ...rest } = result;
  expect(minutes.at(-1)).toEqual({ ended: 71, platformCalls: 32, rooms: 150 });
  expect(emptyByBlock).toEqual([11, 8, 5, 8, 6, 7, 8, 7, 8, 10, 5, 3, 12, 3, 4, 8, 3, 12, 4, 4]);
  expect(rest).toEqual({
    callers: 300,
    failed: 0,
    leadSeconds: 93.56552497773954,
    queueCalls: { deletion: 324, poison: 7, pool: 1135, provisioning: 2512 },
    refusedCalls: 0,
  });
});

test("A room costs as many calls as the limits assume", { timeout }, async () => {
  const rooms = 800;
  const oneCall = { ...scenario, conferenceMinutes: 1, gcMaxMessages: 500 };
  const result = await runLoad({ scenario: oneCall, poolSize: 40, callers: rooms, seed: 5, hours: 3 });
  // Callers before the count begins get rooms as well.
  const handedOut = result.queueCalls.pool / costOfRoom.poolCalls;
  expect(handedOut / (rooms + 61)).toBeCloseTo(1, 1);
  const platformCalls = result.minutes.reduce((sum, minute) => sum + minute.platformCalls, 0);
  const timerCalls = 3 * (12 * 3 + 6);
  expect((platformCalls - timerCalls) / handedOut).toBeCloseTo(
    costOfRoom.handOutCalls + oneCall.callsPerRoom + costOfRoom.collectionCalls,
    0,
  );
  const { pool, deletion, provisioning } = result.queueCalls;
  // The polls of an empty provisioning queue do not depend on the rooms.
  const emptyPolls = provisioning - 3 * handedOut;
  expect((pool + deletion + provisioning - emptyPolls) / handedOut).toBeCloseTo(costOfRoom.queueCalls, 0);
  expect(result.minutes.at(-1)?.ended).toBe(0);
});

test("A platform that accepts too few calls fails callers instead of emptying the pool", {
  timeout,
}, async () => {
  const slow = { ...scenario, callsPerMinute: 40 };
  const result = await runLoad({ scenario: slow, poolSize: 40, callers: 500, seed: 6 });
  expect(result.refusedCalls).toBeGreaterThan(100);
  expect(result.failed).toBeGreaterThan(50);
});
