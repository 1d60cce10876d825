/** `ops plan`: formula, limits, measured load, and output. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faultsOf } from "../../../test/support/kusto.ts";
import { tableBelow } from "../../../test/support/markdown-table.ts";
import { emptyShare, largestLoad, smallestPool } from "../plan/erlang.ts";
import { defaultScenario, findLimits, makePlan, planSettings, type Scenario } from "../plan/make-plan.ts";
import { claimEvents, measureConferenceMinutes, measureLoad } from "../plan/measured-load.ts";
import { planLines } from "../plan/plan-lines.ts";
import { countsQuery } from "../target/azure-log.ts";
import { memoryTarget } from "./memory-target.ts";
import { ops } from "./operated-gateway.ts";

test("ops plan prints pool, limits and settings", async () => {
  const { exitCode, output, remarks } = await ops([
    "plan",
    ..."--per-hour 400 --one-in 1000 --conference-minutes 45".split(" "),
  ]);
  expect([exitCode, remarks]).toEqual([0, ""]);
  expect(output).toMatchInlineSnapshot(`
    "Load: 400 rooms per hour on average, 1,200 at the peak, 9,600 per day.

    Pool: 48 rooms, so that at most 1 in 1,000 callers finds it empty at the peak (Erlang B; a room is replaced 91.6 s after its claim).

    Limits in rooms per hour with the present settings, the tightest first:
      part                                             limit   load
      collector, GC_MAX_MESSAGES 20                    120     average 400  too low: ended rooms accumulate on the platform; raise GC_MAX_MESSAGES
      pool of 48 rooms                                 1,214   peak 1,200   ok
      collector, 645 rooms per run                     3,870   average 400  ok
      platform, 1,000 calls per minute                 14,100  peak 1,200   ok
      API Management, 600 calls per minute and client  18,000  peak 1,200   ok
      platform, 5 calls at a time                      19,598  peak 1,200   ok

    Settings:
      MAX_VMR=48
      POOL_MINIMUM=48
      GC_MAX_MESSAGES=230
    Then provision, and fill the pool: npm run ops -- fill.
    At the peak, the platform has 1,348 rooms: pooled, in use (45 minutes from hand-out to the end of the conference), and waiting for deletion (up to 20 minutes).
    "
  `);
});

test("ops plan fails with one line if no number of gateways can carry the load", async () => {
  const { exitCode, remarks } = await ops(["plan", "--per-hour", "1000000", "--call-milliseconds", "5000"]);
  expect(exitCode).toBe(1);
  expect(remarks).toMatch(/not even 1000 gateways can carry 1000000 rooms per hour\n$/);
});

// Rows of the tables that textbooks on teletraffic print: pool size, share of callers without a room, load.
test.each([
  [1, 0.01, 0.0101],
  [10, 0.01, 4.461],
  [100, 0.01, 84.06],
  [10, 0.001, 3.092],
  [100, 0.001, 75.24],
])("Erlang's table: with %i rooms and a share of %f, the load is %f", (rooms, share, load) => {
  expect(largestLoad(rooms, share) / load).toBeCloseTo(1, 2);
  expect(emptyShare(rooms, load) / share).toBeCloseTo(1, 1);
  expect(smallestPool(load * 0.998, share)).toBe(rooms);
});

test("A load above what a platform can carry is shared by several gateways", () => {
  const shared = makePlan({ ...defaultScenario, perHour: 300, callsPerMinute: 80, oneIn: 20 });
  expect([shared.gateways, shared.scenario.perHour]).toEqual([4, 75]);
  expect(planLines(shared)).toContain(
    "One gateway and its platform cannot carry this. 4 gateways, each with its platform, can: 75 rooms per hour each.",
  );
  expect(planLines(shared)).toContain(
    "The tightest limit of each is then: platform, 80 calls per minute, 255 rooms per hour (peak: 225).",
  );
  expect(planLines(shared)).toContain("Settings of each gateway:");
});

test("The table of loads in docs/operations.md has the results of the formula", () => {
  const document = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const whole = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 0 });
  const rows = tableBelow(document, "## How large the pool must be");
  expect(rows).toHaveLength(4);
  const planned = rows.map(([perDay = ""]) => {
    const perHour = Number(perDay.replaceAll(",", "")) / 24;
    const { gateways, scenario, rooms, roomsOnPlatform } = makePlan({ ...defaultScenario, perHour });
    const counts = [gateways, rooms, scenario.gcMaxMessages].map(String);
    return [perDay, whole(perHour * defaultScenario.peak), ...counts, whole(roomsOnPlatform)];
  });
  expect(rows).toEqual(planned);
});

describe("What gives way first", () => {
  const limitsWith = (change: Partial<Scenario>) =>
    findLimits({ ...defaultScenario, ...change }, { size: 50, perHour: 1100 });
  const limitOf = (part: string, change: Partial<Scenario> = {}) =>
    limitsWith(change).find((limit) => limit.part.startsWith(part))?.roomsPerHour;

  test.each<[Partial<Scenario>, string]>([
    [{}, "collector, GC_MAX_MESSAGES 20"],
    [{ perHour: 100, peak: 12 }, "pool of 50 rooms"],
    [{ callsPerMinute: 60, gcMaxMessages: 600 }, "platform, 60 calls per minute"],
  ])("With %j, it is the part with the least headroom", (change, part) => {
    const headrooms = limitsWith(change).map(({ headroom }) => headroom);
    expect(headrooms).toEqual(headrooms.toSorted((one, other) => one - other));
    expect(limitsWith(change)[0]?.part).toBe(part);
  });

  test("Hand-outs and a run of the collector, which makes one call at a time, share the platform's calls", () => {
    expect(limitOf("platform, 200 calls", { callsPerMinute: 200, gcMaxMessages: 30 })).toBe((60 * 110) / 4);
    expect(limitOf("platform, 1,000 calls", { gcMaxMessages: 600 })).toBe((60 * 700) / 4);
    expect(limitOf("platform, 1 calls", { callsPerMinute: 1 })).toBe(0);
    expect(limitOf("platform, 5 calls")).toBe((5 * 18_000 - 6 * 645 * 3) / 4);
  });

  test("The planned GC_MAX_MESSAGES leaves enough calls for callers on a fast platform", () => {
    const planned = (perHour: number) =>
      planSettings({ ...defaultScenario, callMilliseconds: 20, perHour }).gcMaxMessages;
    expect([2500, 4000, 600].map(planned)).toEqual([459, 734, 289]);
  });
});

describe("The load in the log", () => {
  const at = (time: string, count: number, event: string = claimEvents[0]) => ({ time, event, count });
  const counts = [
    at("2030-01-01T09:00:00.000Z", 24),
    at("2030-01-02T09:00:00.000Z", 200),
    at("2030-01-02T09:15:00.000Z", 39),
    at("2030-01-02T09:15:00.000Z", 1, "pool-empty"),
  ];
  const line = (time: string, event: string, room: string) => ({
    time: `2030-01-02T${time}Z`,
    fields: { event, room },
  });

  test("Has the average of the busiest day, and the peak of its busiest quarter of an hour", () => {
    expect(measureLoad(counts)).toEqual({ perHour: 10, peak: 80, callers: 264, empty: 1, refused: 0 });
  });

  test("Has the mean of the conferences that ended, each from the last hand-out of its room", () => {
    const lines = [
      line("09:00:00.000", "room-queued-for-deletion", "claimed-before-the-log"),
      line("09:00:00.000", "room-claimed", "one"),
      line("09:05:00.000", "room-claimed", "other"),
      line("09:06:00.000", "room-claimed", "still-in-use"),
      line("09:10:00.000", "room-queued-for-deletion", "one"),
      line("09:11:00.000", "room-queued-for-deletion", "one"),
      line("09:35:00.000", "room-queued-for-deletion", "other"),
    ];
    expect(measureConferenceMinutes(lines)).toBe(20);
    expect(measureConferenceMinutes(lines.slice(0, 4))).toBeUndefined();
  });

  test("Is counted by the workspace, so that no line has to be sent", () => {
    expect(faultsOf(countsQuery("gateway-app", claimEvents, 15))).toEqual([]);
    expect(countsQuery("gateway-app", claimEvents, 15)).toMatchInlineSnapshot(`
      "AppTraces
      | where AppRoleName =~ "gateway-app"
      | extend entry = parse_json(Message)
      | extend event = iff(entry.event == "request" and entry.function in ("createRoom", "createRoomFromQueue") and toint(entry.status) >= 500, "create-refused", tostring(entry.event))
      | where event in ("room-claimed", "pool-empty", "create-refused")
      | summarize ['count'] = count() by ['time'] = bin(TimeGenerated, 15m), event
      | order by ['time'] asc"
    `);
  });

  test("Is used by --measured-days together with the settings of the gateway", async () => {
    const { log, settings } = memoryTarget();
    const target = memoryTarget({
      // The log of two days.
      log: {
        ...log,
        counts: async ({ hours }) => (hours === 48 ? counts : []),
        lines: async ({ hours }) =>
          hours === 48
            ? [
                line("09:00:00.000", "room-claimed", "a"),
                line("09:30:00.000", "room-queued-for-deletion", "a"),
              ]
            : [],
      },
      settings: {
        ...settings,
        pool: { ...settings.pool, maxRooms: 2, readyDelaySeconds: 7 },
        garbage: { ...settings.garbage, maxMessages: 30 },
      },
    });
    const { exitCode, output } = await ops(["plan", "--measured-days", "2", "--json"], {
      connect: async () => target,
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      measured: { perHour: 10, peak: 80, callers: 264 },
      scenario: { readyDelaySeconds: 7, conferenceMinutes: 30 },
      limits: expect.arrayContaining([
        expect.objectContaining({ part: "pool of 2 rooms" }),
        expect.objectContaining({ part: "collector, GC_MAX_MESSAGES 30" }),
      ]),
    });
  });

  test("Ends the command with 1 if nobody asked for a room", async () => {
    const { exitCode, remarks } = await ops(["plan", "--measured-days", "1"], {
      connect: async () => memoryTarget(),
    });
    expect(exitCode).toBe(1);
    expect(remarks).toBe("No caller requested a room in the last 1 day. Use --per-hour instead.\n");
  });
});
