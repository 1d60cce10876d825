/** A contact centre that is slow, throttles or fails: 503, never 401 and never access. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ContactCentre, startContactCentre } from "../../../local/simulators/contact-centre.ts";
import {
  type LoopbackServer,
  type Reply,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import { type ContactCentreCheck, createContactCentreCheck } from "../../../src/lib/auth/contact-centre.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";

const divisionId = "55555555-5555-4555-8555-555555555555";
const agent = {
  token: "agent-token",
  id: "44444444-4444-4444-8444-444444444444",
  name: "Test Agent",
  divisionId,
  divisionName: "SBC",
  state: "active" as const,
};
const unavailable = (retryAfterSeconds: number) => ({
  code: "contact-centre-unavailable",
  status: 503,
  details: { retryAfterSeconds },
});

let centre: ContactCentre;
let clock: ManualClock;
let log: RecordingLog;
let checkToken: ContactCentreCheck;
let server: LoopbackServer | undefined;
beforeEach(async () => {
  centre = await startContactCentre({ users: [agent] });
  clock = createManualClock();
  log = createRecordingLog();
  checkToken = createContactCentreCheck({ url: centre.url, divisionIds: [divisionId] }, clock);
});
afterEach(async () => {
  await centre.stop();
  await server?.stop();
  server = undefined;
});

const check = async () => checkToken("agent-token", log);

test("the check throws 503 with the Retry-After of a 429, and makes no call in the meantime", async () => {
  centre.failNext({ status: 429, retryAfterSeconds: 20 });
  await expect(check()).rejects.toMatchObject(unavailable(20));
  clock.advance(19);
  await expect(check()).rejects.toMatchObject(unavailable(1));
  expect(centre.callCount()).toBe(1);

  clock.advance(1);
  await expect(check()).resolves.toBeUndefined();
});

test("a Retry-After of more than a minute is reduced to a minute", async () => {
  centre.failNext({ status: 429, retryAfterSeconds: 3600 });
  await expect(check()).rejects.toMatchObject(unavailable(60));
});

test("the check throws 503 if the agent's quota is used up", async () => {
  centre.setRateLimit(0);
  await expect(check()).rejects.toMatchObject({ status: 503 });
});

test.each([500, 502, 503, 504, 408])(
  "the check throws 503 for 5 s after a %i, without another call",
  async (status) => {
    centre.failNext({ status });
    await expect(check()).rejects.toMatchObject(unavailable(5));
    clock.advance(4);
    await expect(check()).rejects.toMatchObject(unavailable(1));
    expect(centre.callCount()).toBe(1);

    clock.advance(1);
    await expect(check()).resolves.toBeUndefined();
  },
);

test("an accepted agent stays accepted for a minute if the contact centre fails", async () => {
  await check();
  centre.failNext({ status: 503, count: 100 });
  clock.advance(59);
  await expect(check()).resolves.toBeUndefined();
});

test("the check throws 503 if the response takes more than 3 s", async () => {
  centre.setLatency(4000);
  await expect(check()).rejects.toMatchObject(unavailable(5));
});

test("the check throws 503 if the contact centre cannot be reached", async () => {
  await centre.stop();
  await expect(check()).rejects.toMatchObject(unavailable(5));
  centre = await startContactCentre({ users: [] });
});

test.each<[string, Reply]>([
  ["a redirect", { status: 302, headers: { location: "https://login.example.com/" } }],
  ["a response that is not a user", { status: 200, body: "hello" }],
  ["a division without an ID", { status: 200, body: { state: "active", division: {} } }],
  ["no division", { status: 200, body: { state: "active" } }],
  ["an empty response", { status: 204 }],
])("the check throws for %s", async (_, reply) => {
  server = await startLoopbackServer(() => reply);
  const checkThere = createContactCentreCheck({ url: server.url, divisionIds: [divisionId] }, clock);

  await expect(checkThere("agent-token", log)).rejects.toMatchObject({ name: "GatewayError" });
});

test("at most four calls run at once", async () => {
  let inFlight = 0;
  let maxInFlight = 0;
  const waiting: (() => void)[] = [];
  server = await startLoopbackServer(async () => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    await new Promise<void>((resolve) => void waiting.push(resolve));
    inFlight -= 1;
    return { status: 401 };
  });
  const checkThere = createContactCentreCheck({ url: server.url, divisionIds: [divisionId] }, clock);
  const all = Promise.allSettled(
    Array.from({ length: 20 }, async (_, index) => checkThere(`token-${index}`, log)),
  );
  await expect.poll(() => waiting.length, { interval: 2 }).toBe(4);
  for (let finished = 0; finished < 20; finished++) {
    await expect.poll(() => waiting.length, { interval: 2 }).toBeGreaterThan(0);
    waiting.shift()?.();
  }

  expect((await all).every(({ status }) => status === "rejected")).toBe(true);
  expect(maxInFlight).toBe(4);
});

test("a failure is logged with status and correlation ID, and without the token", async () => {
  centre.failNext({ status: 503 });
  await expect(check()).rejects.toMatchObject({ status: 503 });

  expect(log.fieldsOf("contact-centre-unavailable")).toEqual({
    status: 503,
    correlationId: expect.any(String),
  });
  expect(JSON.stringify(log.lines)).not.toContain("agent-token");
});
