/** `ops plan`: formula, measured load, and output. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tableBelow } from "../../../test/support/markdown-table.ts";
import { makePlan, smallestPool } from "../plan/make-plan.ts";
import { claimEvents, measureLoad } from "../plan/measured-load.ts";
import { memoryTarget } from "./memory-target.ts";
import { ops } from "./run-ops.ts";

test("ops plan prints pool, settings and what to buy", async () => {
  const args = "plan --per-day 9600 --burst 600 --one-in 1000 --conference-minutes 45";
  const { exitCode, output, remarks } = await ops(args.split(" "));
  expect([exitCode, remarks]).toEqual([0, ""]);
  expect(output).toMatchInlineSnapshot(`
    "Load: 9,600 rooms per day, 1,200 in the busiest hour, and 600 callers who arrive together.
    Pool: at most 1 in 1,000 callers finds it empty (Erlang B; a room is replaced 91.6 s after its claim). Provision these settings, and fill the pool:
      MAX_VMR=691
      POOL_MINIMUM=691
    Rooms on the platform: at most 2,071 = 691 pooled + 969 in use (45 min each) + 411 waiting for deletion (up to 20 min).
    Buy 2,071 VMR licences, and ports and conferencing nodes for 1,569 conferences: 4,707 ports, three each.
    The platform carries at most 15,000 rooms per hour at the peak (the smaller of calls per minute, and call slots / call time, at four calls a room); this plan needs 1,200.
    "
  `);
});

test.each([
  ["--calls-per-minute 80", "1,200", 0],
  ["--calls-per-minute 79", "1,185", 1],
  ["--call-slots 1 --call-milliseconds 751", "1,198", 1],
])("ops plan %s: the platform carries %s rooms per hour, which ends with %i", async (options, max, code) => {
  const { exitCode, output } = await ops(`plan --per-day 9600 ${options}`.split(" "));
  expect(exitCode).toBe(code);
  expect(output).toContain(`The platform carries at most ${max} rooms per hour at the peak`);
  expect(output).toContain(`this plan needs 1,200${code === 0 ? "." : ": a second gateway and platform."}`);
});

// Rows of the tables that textbooks on teletraffic print: pool size, share of callers without a room, load.
test.each([
  [1, 0.01, 0.0101],
  [100, 0.01, 84.06],
  [10, 0.001, 3.092],
])("Erlang's table: with %i rooms and a share of %f, the load is %f", (rooms, share, load) => {
  expect(smallestPool(load * 0.998, share)).toBe(rooms);
  expect(smallestPool(load * 1.002, share)).toBe(rooms + 1);
});

test("The table of loads in docs/operations.md has the results of the formula", () => {
  const document = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
  const rows = tableBelow(document, "## How large the pool must be");
  expect(rows).toHaveLength(4);
  const planned = rows.map(([perDay = ""]) => {
    const plan = makePlan(scenarioOf(Number(perDay.replaceAll(",", "")) / 8));
    const numbers = [plan.scenario.perHour, plan.pooled, plan.licences, plan.ports];
    return [perDay, ...numbers.map((number) => number.toLocaleString("en-US"))];
  });
  expect(rows).toEqual(planned);
});

/** The defaults of the command. */
function scenarioOf(perHour: number) {
  const load = { perDay: 8 * perHour, perHour, busiestPerHour: perHour, burst: 0, oneIn: 10_000 };
  const platform = { callMilliseconds: 200, callSlots: 5, callsPerMinute: 1000 };
  return { ...load, ...platform, readyDelaySeconds: 90, conferenceMinutes: 15 };
}

describe("The load in the log", () => {
  const at = (day: string, count: number, event: string = claimEvents[0]) => ({
    time: `2030-01-${day}:00.000Z`,
    event,
    count,
  });
  const hours = [at("01T09:00", 24), at("02T09:00", 200), at("02T10:00", 20)];
  const counts = [...hours, at("02T09:45", 39), at("02T09:45", 1, "pool-empty")];
  const line = (time: string, event: string, room: string) => ({
    time: `2030-01-02T${time}:00.000Z`,
    fields: { event, room },
  });
  const lines = [
    line("09:00", "room-queued-for-deletion", "claimed-before-the-log"),
    ...["one", "other", "still-in-use"].map((room, index) => line(`09:${index}5`, "room-claimed", room)),
    line("09:15", "room-queued-for-deletion", "one"),
    line("09:16", "room-queued-for-deletion", "one"),
    line("09:45", "room-queued-for-deletion", "other"),
  ];
  const { log } = memoryTarget();
  /** The log of two days. */
  const logOf = (some = lines) => ({
    ...log,
    counts: async ({ hours }: { hours: number }) => (hours === 48 ? counts : []),
    lines: async ({ hours }: { hours: number }) => (hours === 48 ? some : []),
  });

  test("Has the busiest day, hour and quarter of an hour, and the mean of the conferences that ended", async () => {
    const load = { perDay: 260, perHour: 240, busiestPerHour: 800, callers: 284, empty: 1, refused: 0 };
    expect(await measureLoad(logOf(), 2)).toEqual({ ...load, conferenceMinutes: 20 });
    expect(await measureLoad(logOf(lines.slice(0, 4)), 2)).toEqual({ ...load, conferenceMinutes: undefined });
  });
});
