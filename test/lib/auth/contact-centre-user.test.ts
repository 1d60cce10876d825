/** Unusual responses of the contact centre, and calls that wait. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type LoopbackServer,
  type Reply,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import { type ContactCentreCheck, createContactCentreCheck } from "../../../src/lib/auth/contact-centre.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";

const divisionId = "55555555-5555-4555-8555-555555555555";
const user = { state: "active", division: { id: divisionId } };

let reply: (token: string) => Reply | Promise<Reply>;
let paths: string[];
let server: LoopbackServer;
let clock: ManualClock;
let log: RecordingLog;
let checkToken: ContactCentreCheck;
beforeEach(async () => {
  paths = [];
  reply = () => ({ status: 200, body: user });
  server = await startLoopbackServer(({ url, headers }) => {
    paths.push(url.pathname);
    return reply(String(headers.authorization).replace("Bearer ", ""));
  });
  clock = createManualClock();
  log = createRecordingLog();
  checkToken = createContactCentreCheck({ url: server.url, divisionIds: [divisionId] }, clock);
});
afterEach(async () => server.stop());

const check = async (token = "agent-token") => checkToken(token, log);

test.each([
  ["of 4,096 characters", "x".repeat(4096)],
  ["with every character that tokens have", "AZaz09-._~+/="],
])("a token %s is sent unchanged", async (_, token) => {
  reply = (sent) => (sent === token ? { status: 200, body: user } : { status: 401 });
  await expect(check(token)).resolves.toBeUndefined();
});

test("tokens that differ in their last character are judged separately", async () => {
  const token = "x".repeat(4095);
  reply = (sent) => (sent === `${token}a` ? { status: 200, body: user } : { status: 401 });
  await check(`${token}a`);
  await expect(check(`${token}b`)).rejects.toMatchObject({ code: "unauthenticated" });
});

test.each([undefined, null])("a user without a state (%s) is judged by division", async (state) => {
  reply = () => ({ status: 200, body: { ...user, state } });
  await expect(check()).resolves.toBeUndefined();
});

test("the check throws 403 for a user whose division ID differs from an allowed one only in case", async () => {
  const checkThere = createContactCentreCheck({ url: server.url, divisionIds: ["Division-A"] }, clock);
  for (const id of ["division-a", "DIVISION-A"]) {
    reply = () => ({ status: 200, body: { ...user, division: { id } } });
    await expect(checkThere(`token-${id}`, log)).rejects.toMatchObject({ code: "forbidden" });
  }
  reply = () => ({ status: 200, body: { ...user, division: { id: "Division-A" } } });
  await expect(checkThere("token-allowed", log)).resolves.toBeUndefined();
});

test("the check throws 403 for a user who is not active", async () => {
  reply = () => ({ status: 200, body: { ...user, state: "deleted" } });
  await expect(check()).rejects.toMatchObject({ code: "forbidden" });
});

test("a user of another division causes one call in 60 s", async () => {
  reply = () => ({ status: 200, body: { ...user, division: { id: "other" } } });
  await expect(check()).rejects.toMatchObject({ code: "forbidden" });
  clock.advance(59);
  await expect(check()).rejects.toMatchObject({ code: "forbidden" });
  expect(paths).toHaveLength(1);
});

test("a redirect is not followed, so the token is not sent elsewhere", async () => {
  reply = () => ({ status: 302, headers: { location: "/elsewhere" } });
  await expect(check()).rejects.toMatchObject({ code: "unauthenticated" });
  expect(paths).toEqual(["/api/v2/users/me"]);
});

test.each([400, 401, 403, 404])("the check throws 401 after a %i", async (status) => {
  reply = () => ({ status });
  await expect(check()).rejects.toMatchObject({
    code: "unauthenticated",
    details: { challenge: 'x-auth-token realm="vmr-gateway"' },
  });
});

test("the check throws 503 after a 200 response that is not a user", async () => {
  reply = () => ({ status: 200, body: { state: "active", division: {} } });
  await expect(check()).rejects.toMatchObject({ code: "contact-centre-unavailable" });
});

test.each<[Record<string, string>, number]>([
  [{ "inin-ratelimit-reset": "12" }, 12],
  [{ "retry-after": "7", "inin-ratelimit-reset": "12" }, 7],
  [{ "retry-after": "1" }, 1],
  [{ "retry-after": "1.2" }, 2],
  [{ "retry-after": "0" }, 5],
  [{ "retry-after": "soon" }, 5],
])("a 429 with %j becomes a Retry-After of %i s", async (headers, retryAfterSeconds) => {
  reply = () => ({ status: 429, headers });
  await expect(check()).rejects.toMatchObject({ details: { retryAfterSeconds } });
});

test("Retry-After is the rest of the pause, rounded up to whole seconds", async () => {
  reply = () => ({ status: 503 });
  await expect(check()).rejects.toMatchObject({ details: { retryAfterSeconds: 5 } });
  clock.advance(0.5);
  await expect(check()).rejects.toMatchObject({ details: { retryAfterSeconds: 5 } });
  clock.advance(4.4);
  await expect(check()).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } });
});

test("the contact centre's correlation ID of a failure is logged", async () => {
  reply = () => ({ status: 503, headers: { "inin-correlation-id": "c-1" } });
  await expect(check()).rejects.toMatchObject({ status: 503 });
  expect(log.fieldsOf("contact-centre-unavailable")).toEqual({ status: 503, correlationId: "c-1" });
});

test("the cause is logged if the contact centre cannot be reached", async () => {
  await server.stop();
  await expect(check()).rejects.toMatchObject({ status: 503 });
  expect(log.lines).toEqual([
    {
      level: "warn",
      event: "contact-centre-unavailable",
      fields: { status: null },
      cause: expect.objectContaining({ code: "ECONNREFUSED" }),
    },
  ]);
  server = await startLoopbackServer(() => ({ status: 404 }));
});

test("if 40 calls wait, a token with a pending call shares it and the check throws 503 for another one", async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  reply = async () => {
    await isReleased;
    return { status: 200, body: user };
  };
  const asked = Array.from({ length: 44 }, async (_, index) => check(`token-${index}`));
  const sharing = [check("token-0"), check("token-43")];
  await expect(check("one-more")).rejects.toMatchObject({
    code: "contact-centre-unavailable",
    details: { retryAfterSeconds: 5 },
  });
  expect(log.lines).toMatchObject([
    { level: "warn", event: "contact-centre-unavailable", fields: { status: null, waiting: 40 } },
  ]);
  release();
  await Promise.all([...asked, ...sharing]);
  expect(paths).toHaveLength(44);
});

test("a recently used verdict stays cached longer than others", async () => {
  await check("first");
  for (let index = 0; index < 999; index++) await check(`other-${index}`);
  await check("first");
  await check("one-more");
  expect(paths).toHaveLength(1001);

  await check("first");
  expect(paths).toHaveLength(1001);
});
