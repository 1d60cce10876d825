/** `ops plan`: its options, and the load that it measures. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { faultsOf } from "../../../test/support/kusto.ts";
import { claimEvents, measureLoad } from "../plan/measured-load.ts";
import { countsQuery } from "../target/azure-log.ts";
import { ops, useOperatedGateway } from "./operated-gateway.ts";

describe("ops plan", () => {
  test("Fails with one line if no number of gateways can carry the load", async () => {
    const { exitCode, remarks } = await ops(["plan", "--per-hour", "1000000", "--call-milliseconds", "5000"]);
    expect(exitCode).toBe(1);
    expect(remarks).toMatch(/not even 1000 gateways can carry 1000000 rooms per hour\n$/);
  });
});

describe("The load in the log", () => {
  const at = (time: string, count: number, event: string = claimEvents[0]) => ({ time, event, count });

  test("Is the average of the busiest day, and its busiest quarter of an hour", () => {
    const load = measureLoad([
      at("2030-01-01T09:00:00.000Z", 24),
      at("2030-01-02T09:00:00.000Z", 200),
      at("2030-01-02T09:15:00.000Z", 39),
      at("2030-01-02T09:15:00.000Z", 1, "pool-empty"),
    ]);
    expect(load).toEqual({ perHour: 10, peak: 80, callers: 264, empty: 1 });
  });

  test("Is undefined if nobody called", () => {
    expect(measureLoad([])).toBeUndefined();
  });

  test("Is counted by the workspace, so that no line has to be sent", () => {
    expect(faultsOf(countsQuery("gateway-app", claimEvents, 15))).toEqual([]);
    expect(countsQuery("gateway-app", claimEvents, 15)).toMatchInlineSnapshot(`
      "AppTraces
      | where AppRoleName =~ "gateway-app"
      | extend event = tostring(parse_json(Message).event)
      | where event in ("room-claimed", "pool-empty")
      | summarize ['count'] = count() by ['time'] = bin(TimeGenerated, 15m), event
      | order by ['time'] asc"
    `);
  });
});

describe("With --measured-days", () => {
  const operated = useOperatedGateway({ MAX_VMR: "2", GC_MAX_MESSAGES: "30" });
  const Planned = z.object({
    measured: z.object({ perHour: z.number(), peak: z.number(), callers: z.number(), empty: z.number() }),
    scenario: z.object({ readyDelaySeconds: z.number() }),
    limits: z.array(z.object({ part: z.string() })),
  });

  test("Plans for the load and the settings of the gateway", async () => {
    await operated.sendAsApplication("POST /room/create");
    await operated.settled();
    await operated.fillPool(2);
    await operated.sendAsApplication("POST /room/create");
    const { exitCode, output, remarks } = await operated.ops("plan", "--measured-days", "1", "--json");
    expect([exitCode, remarks]).toEqual([0, ""]);
    const { measured, scenario, limits } = Planned.parse(JSON.parse(output));
    expect([measured.callers, measured.empty]).toEqual([2, 1]);
    expect(measured.perHour * measured.peak).toBeGreaterThanOrEqual(4);
    expect(scenario.readyDelaySeconds).toBe(0);
    expect(limits.map(({ part }) => part)).toEqual(
      expect.arrayContaining(["pool of 2 rooms", "collector, GC_MAX_MESSAGES 30"]),
    );
  });

  test("Ends with 1 and says so if nobody requested a room", async () => {
    const { exitCode, remarks } = await operated.ops("plan", "--measured-days", "1");
    expect(exitCode).toBe(1);
    expect(remarks).toBe("No caller requested a room in the last 1 day. Use --per-hour instead.\n");
  });
});
