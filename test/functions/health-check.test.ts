/** GET /public/health: every status it can answer. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { healthCheck } from "../../src/functions/health-check.ts";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { type InProcessGateway, startInProcessGateway } from "../support/in-process-gateway.ts";

let gateway: InProcessGateway;
beforeAll(async () => {
  gateway = await startInProcessGateway();
});
afterAll(async () => gateway.stop());

test("200 alive, with the time of the answer", async () => {
  const before = Date.now();
  const answer = await gateway.call(healthCheck);
  expect(answer).toMatchObject({ status: 200, json: { status: "alive" } });
  const { timestamp } = answer.json as { timestamp: string };
  expect(new Date(timestamp).toISOString()).toBe(timestamp);
  expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now());
  expect(Object.keys(answer.json as object).toSorted()).toEqual(["status", "timestamp"]);
});

test.each<[string, Record<string, string>]>([
  ["no credentials", {}],
  ["a bearer token", { authorization: "Bearer wrong" }],
  ["Basic credentials", asEventSink("nobody", "wrong")],
  ["an agent's token", asAgent],
])("200 with %s: nobody has to authenticate", async (_, headers) => {
  expect(await gateway.call(healthCheck, { headers })).toMatchObject({ status: 200 });
});

test("200 while everything else is down", async () => {
  await gateway.stack.platform.goDown("refuse");
  gateway.stack.issuer.setDown(true);
  expect(await gateway.call(healthCheck)).toMatchObject({ status: 200 });
});

test("200 whatever stands in the query", async () => {
  expect(await gateway.call(healthCheck, { query: { verbose: "maybe" } })).toMatchObject({ status: 200 });
});

test("500 with a fixed text for an unexpected error", async () => {
  let readings = 0;
  const clock = {
    ...gateway.dependencies().clock,
    now: () => {
      readings += 1;
      if (readings === 2) throw new TypeError("a programming error");
      return Date.now();
    },
  };
  const answer = await gateway.call(healthCheck, {}, { ...gateway.dependencies(), clock });
  expect(answer).toMatchObject({
    status: 500,
    code: "unexpected",
    json: { detail: "Internal Server Error" },
  });
});
