/** The table of loads in docs/operations.md is what the code calculates. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tableBelow } from "../../../test/support/markdown-table.ts";
import { defaultScenario } from "../plan/limits.ts";
import { makePlan } from "../plan/make-plan.ts";

const document = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");
const whole = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 0 });

test("The table of loads is what the formula plans", () => {
  const { rows } = tableBelow(document, "## How large the pool must be");
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
