/** Which limit of a deployment is reached first. */
import { describe, expect, test } from "vitest";
import {
  collectorCapacity,
  defaultScenario,
  findLimits,
  isEnough,
  messagesBesideCallers,
  type Scenario,
} from "../plan/limits.ts";
import { planSettings } from "../plan/make-plan.ts";

const pool = { size: 50, perHour: 1100 };
const limitsWith = (change: Partial<Scenario>) => findLimits({ ...defaultScenario, ...change }, pool);
const limitOf = (part: string, change: Partial<Scenario> = {}) =>
  limitsWith(change).find((limit) => limit.part.startsWith(part))?.roomsPerHour ?? Number.NaN;

test("The part with the least headroom comes first", () => {
  const headrooms = limitsWith({}).map(({ headroom }) => headroom);
  expect(headrooms).toEqual(headrooms.toSorted((one, other) => one - other));
  expect(limitsWith({})[0]?.part).toBe("collector, GC_MAX_MESSAGES 20");
  expect(limitsWith({ perHour: 100, peak: 12 })[0]?.part).toBe("pool of 50 rooms");
  expect(limitsWith({ perHour: 400, callsPerMinute: 60, gcMaxMessages: 600 })[0]?.part).toMatch(
    /^platform, 60 calls/,
  );
});

test("The collector runs six times per hour, each time limited by GC_MAX_MESSAGES and by its duration", () => {
  expect(limitOf("collector, GC_MAX_MESSAGES")).toBe(120);
  expect(limitOf("collector, GC_MAX_MESSAGES", { gcMaxMessages: 50 })).toBe(300);
  expect(collectorCapacity({ ...defaultScenario, callMilliseconds: 200 })).toBe(645);
  expect(collectorCapacity({ ...defaultScenario, callMilliseconds: 20 })).toBe(1000);
  expect(collectorCapacity({ ...defaultScenario, callMilliseconds: 1000 })).toBe(132);
});

test("The platform's limit is shared by hand-outs, the timers' lists and a run of the collector", () => {
  const slow = { callsPerMinute: 200, gcMaxMessages: 30 };
  expect(limitOf("platform, 200 calls", slow)).toBeGreaterThan(((198 - 90) * 60) / 4);
  expect(limitOf("platform, 200 calls", slow)).toBeLessThan(((200 - 90) * 60) / 4);
  expect(limitOf("platform, 200 calls", { ...slow, callsPerRoom: 3 })).toBeLessThan(((200 - 90) * 60) / 6);
  expect(limitOf("platform, 1 calls", { callsPerMinute: 1 })).toBe(0);
});

test("A run of the collector makes its calls one by one, so only as many per minute as fit into one", () => {
  expect(limitOf("platform, 1,000 calls", { gcMaxMessages: 600 })).toBeGreaterThan(((995 - 300) * 60) / 4);
  expect(limitOf("platform, 1,000 calls", { gcMaxMessages: 600, callMilliseconds: 100 })).toBeLessThan(
    ((1000 - 600) * 60) / 4,
  );
});

test("The planned GC_MAX_MESSAGES leaves callers their calls on a fast platform", () => {
  const fast = { ...defaultScenario, perHour: 2500, callMilliseconds: 20 };
  expect(messagesBesideCallers(defaultScenario, 50)).toBe(Number.POSITIVE_INFINITY);
  expect(planSettings(fast).gcMaxMessages).toBe(459);
  expect(planSettings({ ...fast, perHour: 4000 }).gcMaxMessages).toBe(734);
  expect(planSettings({ ...fast, perHour: 600 }).gcMaxMessages).toBe(288);
});

test("Provisioning is limited by the instances' slots and by the platform's", () => {
  expect(limitOf("provisioning", { instances: 1 })).toBe(3 * 5 * 3600);
  expect(limitOf("provisioning", { instances: 4 })).toBe(5 * 5 * 3600);
  expect(limitOf("provisioning", { instances: 1, maxConcurrency: 1 })).toBe(5 * 3600);
});

describe("One gateway", () => {
  test.each([
    ["carries the default load", { gcMaxMessages: 200 }, true],
    ["does not carry a load above its collector", {}, false],
    ["does not carry 100,000 rooms per day", { perHour: 100_000 / 24, gcMaxMessages: 645 }, false],
    ["carries half of it", { perHour: 50_000 / 24, gcMaxMessages: 645 }, true],
  ] as const)("%s", (_, change, expected) => {
    expect(isEnough({ ...defaultScenario, ...change })).toBe(expected);
  });
});
