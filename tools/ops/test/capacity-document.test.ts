/** The tables of docs/capacity.md are what the code calculates. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tableBelow, unquoted } from "../../../test/support/markdown-table.ts";
import { defaultScenario } from "../plan/limits.ts";
import { makePlan } from "../plan/make-plan.ts";
import { planLines } from "../plan/plan-lines.ts";

const document = readFileSync(new URL("../../../docs/capacity.md", import.meta.url), "utf8");
const whole = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 0 });

const rowsBelow = (heading: string) =>
  tableBelow(document, `## ${heading}`).rows.map((row) => row.map(unquoted));

test("The table of loads is what the formula plans", () => {
  const rows = rowsBelow("The short answer");
  expect(rows).toHaveLength(6);
  const planned = rows.map(([perDay = ""]) => {
    const perHour = Number(perDay.replaceAll(",", "")) / 24;
    const { gateways, scenario, rooms, roomsOnPlatform } = makePlan({ ...defaultScenario, perHour });
    const peak = perHour * defaultScenario.peak;
    const counts = [gateways, rooms, scenario.gcMaxMessages].map(String);
    return [perDay, whole(peak), ...counts, whole(roomsOnPlatform)];
  });
  expect(rows).toEqual(planned);
});

test("The chart is what the plan prints for 400 rooms per hour", () => {
  const printed = planLines(makePlan(defaultScenario)).map((line) => line.trim());
  const [, chart = ""] = /```text\n(.+?)```/s.exec(document) ?? [];
  const lines = chart.trim().split("\n");
  expect(lines.length).toBeGreaterThan(5);
  expect(printed).toEqual(expect.arrayContaining(lines));
});

test("The table of limits is what the plan lists for the default settings and a pool of 50 rooms", () => {
  const limits = makePlan(defaultScenario, 50).limits.map(
    ({ part, roomsPerHour, applies, consequence, remedy }) => [
      part,
      whole(Math.floor(roomsPerHour)),
      applies,
      consequence,
      remedy.replace("raise GC_MAX_MESSAGES", "raise it"),
    ],
  );
  const byLimit = (rows: readonly string[][]) =>
    rows.toSorted(
      ([, one = ""], [, other = ""]) => Number(one.replaceAll(",", "")) - Number(other.replaceAll(",", "")),
    );
  expect(rowsBelow("What gives way first")).toEqual(byLimit(limits));
});
