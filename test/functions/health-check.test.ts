/** GET /public/health: every status it can return. */
import { expect, test } from "vitest";
import { healthCheck } from "../../src/functions/health-check.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();

test("Returns 200 with the status and the current time", async () => {
  const before = Date.now();
  const response = await gateway.call(healthCheck);
  expect(response).toMatchObject({ status: 200, json: { status: "alive" } });
  expect(response.headers).toMatchObject({ "x-build": expect.stringMatching(/^[0-9a-f]{12}$/) });
  const { timestamp } = response.json as { timestamp: string };
  expect(new Date(timestamp).toISOString()).toBe(timestamp);
  expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now());
  expect(Object.keys(response.json as object).toSorted()).toEqual(["status", "timestamp"]);
});
