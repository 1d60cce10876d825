/** The tables of docs/capacity.md are what the code calculates. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { largestLoad } from "../../capacity/erlang.ts";
import { findLimits } from "../../capacity/limits.ts";
import { nominalLeadSeconds, planByFormula } from "../../capacity/plan.ts";
import { defaultScenario } from "../../capacity/scenario.ts";
import { tableBelow, unquoted } from "../support/markdown-table.ts";

const document = readFileSync(new URL("../../docs/capacity.md", import.meta.url), "utf8");
const whole = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 0 });

const rowsBelow = (heading: string) =>
  tableBelow(document, `## ${heading}`).rows.map((row) => row.map(unquoted));

test("The table of loads is what the formula plans", () => {
  const rows = rowsBelow("The short answer");
  expect(rows).toHaveLength(6);
  const planned = rows.map(([perDay = ""]) => {
    const perHour = Number(perDay.replaceAll(",", "")) / 24;
    const { gateways, scenario, rooms, roomsOnPlatform } = planByFormula({ ...defaultScenario, perHour });
    const peak = perHour * defaultScenario.peak;
    const counts = [gateways, rooms, scenario.gcMaxMessages].map(String);
    return [perDay, whole(peak), ...counts, whole(roomsOnPlatform)];
  });
  expect(rows).toEqual(planned);
});

test("The table of limits is what the plan lists for the default settings and a pool of 50 rooms", () => {
  const perHour = (largestLoad(50, 1 / defaultScenario.oneIn) / nominalLeadSeconds(defaultScenario)) * 3600;
  const limits = findLimits(defaultScenario, { size: 50, perHour }).map(
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
