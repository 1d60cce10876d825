/** The whole plan, as `ops plan` prints it. */
import { expect, test } from "vitest";
import { makePlan, planByFormula } from "../../capacity/plan.ts";
import { defaultScenario } from "../../capacity/scenario.ts";
import { planLines } from "../../tools/ops/plan/plan-lines.ts";

const timeout = 180_000;

test("A plan for a small load is the same in every run", { timeout }, async () => {
  const steps: string[] = [];
  const scenario = { ...defaultScenario, perHour: 40, oneIn: 100 };
  const onProgress = (step: string) => steps.push(step);
  const plan = await makePlan({ scenario, maxVmr: 5, callers: 2000, seed: 7, onProgress });
  expect(steps).toMatchInlineSnapshot(`
    [
      "simulating 800 callers and a pool of 8 rooms",
      "simulating 2000 callers and a pool of 9 rooms",
    ]
  `);
  expect(planLines(plan).join("\n")).toMatchInlineSnapshot(`
    "Load: 40 rooms per hour on average, 120 at the peak, 960 per day.

    Pool: 9 rooms, so that at most 1 in 100 callers finds it empty at the peak.
      Formula (Erlang B): 8 rooms, if a room is replaced 90.7 s after its claim.
      Simulation of the pool's code, seed 7:
        8 rooms: 9 of 800 callers found the pool empty.
          In 10,000 callers: 113, with 95 % confidence from 42 to 298; by formula 85.
        9 rooms: 6 of 2,000 callers found the pool empty.
          In 10,000 callers: 30, with 95 % confidence from 10 to 89; by formula 32.

    What gives way first, in rooms per hour, with the present settings:
      part                                             limit      load
      pool of 5 rooms                                  54         peak 120    gives way: more than 1 in 100 callers get 404; raise MAX_VMR
      collector, GC_MAX_MESSAGES 20                    120        average 40  ok
      collector, 645 rooms per run                     3,870      average 40  ok
      platform, 1,000 calls per minute                 14,090     peak 120    ok
      API Management, 600 calls per minute and client  18,000     peak 120    ok
      platform, 5 calls at a time                      19,587     peak 120    ok
      provisioning, 5 calls at a time                  90,000     peak 120    ok
      queue, 2,000 messages per second                 1,800,000  peak 120    ok
      storage account, 20,000 messages per second      7,200,000  peak 120    ok

    Settings:
      MAX_VMR=9
      POOL_MINIMUM=9
      GC_MAX_MESSAGES=30
    Then provision, and fill the pool: npm run ops -- fill.
    At the peak, the platform has 79 rooms: pooled, in use, and waiting for deletion."
  `);
  expect(planLines({ ...plan, gateways: 2 })).toContain(
    "One gateway and its platform cannot carry this. 2 gateways, each with its platform, can: 40 rooms per hour each.",
  );
  expect(plan.settings.MAX_VMR).toBe(plan.rooms);
  expect(plan.rooms).toBeGreaterThanOrEqual(plan.formulaRooms);
  expect(plan.simulation.share).toBeLessThanOrEqual(1 / scenario.oneIn);
});

test("A load above what a platform can carry is shared by several gateways", () => {
  const scenario = { ...defaultScenario, perHour: 300, callsPerMinute: 80, oneIn: 20 };
  const shared = planByFormula(scenario);
  expect(shared.gateways).toBe(4);
  expect(shared.scenario.perHour).toBe(75);
});

test("A load that no number of gateways can carry is an error that says so", async () => {
  const scenario = { ...defaultScenario, perHour: 1_000_000, callMilliseconds: 5000 };
  await expect(makePlan({ scenario, callers: 1000, seed: 1 })).rejects.toThrow(
    "not even 1000 gateways can carry 1000000 rooms per hour",
  );
});

test("An interrupted plan ends with an error", { timeout }, async () => {
  const stopping = new AbortController();
  const planning = makePlan({
    scenario: defaultScenario,
    callers: 10_000_000,
    seed: 1,
    onProgress: () => setTimeout(() => stopping.abort(), 500),
    signal: stopping.signal,
  });
  await expect(planning).rejects.toThrow("the simulation was interrupted");
});
