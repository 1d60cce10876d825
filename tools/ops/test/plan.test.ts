/** The whole plan, as `ops plan` prints it. */
import { expect, test } from "vitest";
import { defaultScenario } from "../plan/limits.ts";
import { makePlan } from "../plan/make-plan.ts";
import { planLines } from "../plan/plan-lines.ts";
import { ops } from "./operated-gateway.ts";

test("ops plan prints pool, chart, limits and settings", async () => {
  const args = ["plan", "--per-hour", "40", "--one-in", "100", "--max-vmr", "5"];
  const { exitCode, output, remarks } = await ops(args);
  expect([exitCode, remarks]).toEqual([0, ""]);
  expect(output).toMatchInlineSnapshot(`
    "Load: 40 rooms per hour on average, 120 at the peak, 960 per day.

    Pool: 8 rooms, so that at most 1 in 100 callers finds it empty at the peak (Erlang B; a room is replaced 91.6 s after its claim).
      rooms  callers who find it empty
      2      1 in 1.9                   ###
      3      1 in 2.8                   #####
      4      1 in 4.7                   #######
      5      1 in 8.7                   #########
      6      1 in 18                    #############
      7      1 in 43                    ################
      8      1 in 113                   ##################### <- planned
      9      1 in 333                   #########################
      10     1 in 1,091                 ##############################

    Limits in rooms per hour with the present settings, the tightest first:
      part                                             limit   load
      pool of 5 rooms                                  53      peak 120    too low: more than 1 in 100 callers get 404; raise MAX_VMR
      collector, GC_MAX_MESSAGES 20                    120     average 40  ok
      collector, 645 rooms per run                     3,870   average 40  ok
      platform, 1,000 calls per minute                 14,090  peak 120    ok
      API Management, 600 calls per minute and client  18,000  peak 120    ok
      platform, 5 calls at a time                      19,587  peak 120    ok
      provisioning, 5 calls at a time                  90,000  peak 120    ok

    Settings:
      MAX_VMR=8
      POOL_MINIMUM=8
      GC_MAX_MESSAGES=30
    Then provision, and fill the pool: npm run ops -- fill.
    At the peak, the platform has 78 rooms: pooled, in use, and waiting for deletion.
    "
  `);
});

test("The planned pool is the smallest that is large enough, and the chart says so", () => {
  const { rooms, chart } = makePlan(defaultScenario);
  const shareOf = (size: number) => chart.find((row) => row.rooms === size)?.oneIn ?? Number.NaN;
  expect(shareOf(rooms)).toBeGreaterThanOrEqual(defaultScenario.oneIn);
  expect(chart.filter(({ oneIn }) => oneIn < defaultScenario.oneIn)).toHaveLength(6);
  expect(makePlan({ ...defaultScenario, perHour: 1 }).chart[0]?.rooms).toBe(1);
});

test("A load above what a platform can carry is shared by several gateways", () => {
  const scenario = { ...defaultScenario, perHour: 300, callsPerMinute: 80, oneIn: 20 };
  const shared = makePlan(scenario);
  expect([shared.gateways, shared.scenario.perHour]).toEqual([4, 75]);
  expect(planLines(shared)).toContain(
    "One gateway and its platform cannot carry this. 4 gateways, each with its platform, can: 75 rooms per hour each.",
  );
  expect(planLines(shared)).toContain("Settings of each gateway:");
});
