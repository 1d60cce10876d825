/** The table of loads in docs/operations.md, and the formula that generates it. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tableBelow } from "../../../test/support/markdown-table.ts";
import { sizeFor, smallestPool } from "../sizing.ts";

// Rows of the tables that textbooks on teletraffic print.
test.each([
  { rooms: 1, share: 0.01, load: 0.0101 },
  { rooms: 100, share: 0.01, load: 84.06 },
  { rooms: 10, share: 0.001, load: 3.092 },
])(
  "By Erlang's table, $rooms rooms suffice for a load of $load if $share of the callers find none",
  (row) => {
    expect(smallestPool(row.load * 0.998, row.share)).toBe(row.rooms);
    expect(smallestPool(row.load * 1.002, row.share)).toBe(row.rooms + 1);
  },
);

const document = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

test.each([
  { perDay: 100, more: 3 },
  { perDay: 300, more: 7 },
])("At $perDay rooms per day, a function that takes two minutes to wake needs $more more rooms", (row) => {
  const load = { perDay: row.perDay, busyHourPercent: 35 };
  expect(sizeFor(load, 120).pool - sizeFor(load).pool).toBe(row.more);
  expect(document.replaceAll(/\s+/g, " ")).toContain("add 3 rooms up to 100 per day, and 7 up to 300.");
});

test("The table in docs/operations.md has the results of the formula", () => {
  const rows = tableBelow(document, "## How large the pool must be");
  expect(rows).toHaveLength(9);
  const expected = rows.map(([perDay = "", busiestHour = ""]) => {
    const load = { perDay: Number(perDay.replace(",", "")), busyHourPercent: Number.parseFloat(busiestHour) };
    const { pool, roomsOnPlatform, ports, platformCallsPerHour } = sizeFor(load);
    const numbers = [pool, roomsOnPlatform, ports, platformCallsPerHour];
    return [perDay, busiestHour, ...numbers.map((number) => number.toLocaleString("en-US"))];
  });
  expect(rows).toEqual(expected);
});
