/** Contact-centre tokens: accepted users, cached verdicts, and failures of the contact centre. */
import { beforeEach, describe, expect, test } from "vitest";
import { type ContactCentreCheck, createContactCentreCheck } from "../../../src/lib/auth/contact-centre.ts";
import { type Answer, startLoopbackServer } from "../../../tools/simulators/loopback-server.ts";
import { createManualClock, type ManualClock } from "../../../tools/simulators/memory/clock.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const divisionId = "55555555-5555-4555-8555-55555555abcd";
const user = { state: "active", division: { id: divisionId } };
const ok = (body: unknown = user) => ({ status: 200, body });
const forbidden = expect.objectContaining({ code: "forbidden", status: 403, details: { reason: "user" } });
const unauthenticated = (reason: string) =>
  expect.objectContaining({
    code: "unauthenticated",
    status: 401,
    details: { challenge: 'x-auth-token realm="vmr-gateway"', reason },
  });
const refused = unauthenticated("refused-by-contact-centre");
const unavailable = (retryAfterSeconds: number) =>
  expect.objectContaining({
    code: "contact-centre-unavailable",
    status: 503,
    details: { retryAfterSeconds },
  });

/** The contact centre's responses by token, and the paths of the calls so far. */
let reply: (token: string) => Answer | Promise<Answer>;
let paths: string[];
const centre = useStartedPerTest(async () =>
  startLoopbackServer(({ url, headers }) => {
    paths.push(url.pathname);
    return reply(String(headers.authorization).replace("Bearer ", ""));
  }),
);
let clock: ManualClock;
let log: RecordingLog;
let checkToken: ContactCentreCheck;
beforeEach(() => {
  reply = () => ok();
  paths = [];
  clock = createManualClock();
  log = createRecordingLog();
  checkToken = checkAt(centre.url);
});

const checkAt = (url: string) => createContactCentreCheck({ url, divisionIds: ["other", divisionId] }, clock);
const check = async (token: string | null = "agent-token") => checkToken(token, log);
/** Returns undefined for an accepted token, and the error otherwise. */
const outcomeOf = async (token?: string) => check(token).catch((error: unknown) => error);

describe("The check judges a user", () => {
  test.each([
    ["accepts an active user of an authorised division", user, undefined],
    ["accepts a user of an authorised division without a state", { division: user.division }, undefined],
    [
      "throws 403 for a user of a division whose name is the ID of an authorised one",
      { ...user, division: { id: "SBC", name: divisionId } },
      forbidden,
    ],
    [
      "throws 403 for a user of a division whose ID is an authorised one in capitals",
      { ...user, division: { id: divisionId.toUpperCase() } },
      forbidden,
    ],
    ["throws 403 for a user without a division", { state: "active" }, forbidden],
    ["throws 403 for an inactive user", { ...user, state: "inactive" }, forbidden],
    ["throws 503 for a division without an ID", { ...user, division: {} }, unavailable(5)],
  ])("%s", async (_, body, outcome) => {
    reply = () => ok(body);
    expect(await outcomeOf()).toEqual(outcome);
  });
});

describe("The check throws 401 without a call", () => {
  test.each([
    ["no token", null, "no-token"],
    ["an empty token", "", "no-token"],
    ["a token of 4,097 characters", "x".repeat(4097), "malformed"],
    ["a token with a line break", "agent-token\r\nX-Other: 1", "malformed"],
    ["a token with other letters", "agentÿ", "malformed"],
  ])("for %s", async (_, token, reason) => {
    await expect(check(token)).rejects.toEqual(unauthenticated(reason));
    expect(paths).toEqual([]);
  });

  test("for a token after Bearer, and says so", async () => {
    const challenge = 'x-auth-token realm="vmr-gateway", error_description="Send the token without Bearer."';
    await expect(check("Bearer agent-token")).rejects.toMatchObject({
      code: "unauthenticated",
      details: { challenge },
    });
    expect(paths).toEqual([]);
  });
});

describe("The check sends a token", () => {
  test.each([
    ["of 4,096 characters", "x".repeat(4096)],
    ["with every character that tokens have", "AZaz09-._~+/="],
  ])("%s unchanged", async (_, token) => {
    reply = (sent) => (sent === token ? ok() : { status: 401 });
    await expect(check(token)).resolves.toBeUndefined();
  });
});

describe("A verdict is cached", () => {
  test.each([
    ["60 s for an accepted token", 60, ok(), undefined],
    ["60 s for a user of another division", 60, ok({ ...user, division: { id: "another" } }), forbidden],
    ["10 s for a refused token", 10, { status: 401 }, refused],
  ] as const)("%s", async (_, seconds, answer, outcome) => {
    reply = () => answer;
    for (let second = 0; second < seconds; second++) {
      expect(await outcomeOf()).toEqual(outcome);
      clock.advance(1);
    }
    expect(paths).toHaveLength(1);
    await outcomeOf();
    expect(paths).toHaveLength(2);
  });
});

test.each([
  ["an accepted token", ok()],
  ["a refused token", { status: 401 }],
  ["a failed check", { status: 503 }],
])("A clock that is set back ends the verdict on %s", async (_, answer) => {
  reply = () => answer;
  await outcomeOf();
  clock.advance(-1);
  reply = () => ok({ ...user, state: "inactive" });
  expect(await outcomeOf()).toEqual(forbidden);
});

test("The check shares pending calls, and throws 503 for further tokens if 4 calls run and 40 wait", async () => {
  const waiting: (() => void)[] = [];
  reply = async () => {
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return ok();
  };
  const accepted = Array.from({ length: 44 }, async (_, index) => check(`token-${index}`));
  const sharing = [check("token-0"), check("token-43")];
  for (let index = 44; index < 60; index++)
    await expect(check(`token-${index}`)).rejects.toEqual(unavailable(5));
  expect(log.lines[0]).toMatchObject({
    level: "warn",
    event: "contact-centre-unavailable",
    fields: { status: null, waiting: 40 },
  });

  for (let finished = 0; finished < 44; finished++) {
    await expect.poll(() => waiting.length, { interval: 2 }).toBe(Math.min(4, 44 - finished));
    waiting.shift()?.();
  }
  await Promise.all([...accepted, ...sharing]);
  expect(paths).toHaveLength(44);
});

test("An accepted agent is not affected by unknown tokens that fill the waiting checks", async () => {
  await check("agent-token");
  clock.advance(60);
  const waiting: { token: string; answer: () => void }[] = [];
  reply = async (token) => {
    await new Promise<void>((resolve) => void waiting.push({ token, answer: resolve }));
    return token === "agent-token" ? ok() : { status: 401 };
  };
  const invented = Array.from({ length: 44 }, async (_, index) => outcomeOf(`invented-${index}`));
  const agent = outcomeOf("agent-token");
  await expect.poll(() => waiting.length, { interval: 2 }).toBe(4);
  waiting.shift()?.answer();
  await expect.poll(() => waiting.map(({ token }) => token), { interval: 2 }).toContain("agent-token");
  reply = () => ({ status: 401 });
  for (const { answer } of waiting) answer();
  expect(await agent).toBeUndefined();
  await Promise.all(invented);
});

test("Invented tokens do not displace the verdict of an agent", async () => {
  await check("agent-token");
  reply = () => ({ status: 401 });
  for (let index = 0; index < 1001; index++) await outcomeOf(`invented-${index}`);
  await expect(check("agent-token")).resolves.toBeUndefined();
});

describe("The check if the contact centre fails", () => {
  test.each([401, 404])("throws 401 after a %i", async (status) => {
    reply = () => ({ status });
    await expect(check()).rejects.toEqual(refused);
  });

  test.each<[number, Record<string, string>, number]>([
    [500, {}, 5],
    [408, {}, 5],
    [429, { "inin-ratelimit-reset": "12" }, 12],
    [429, { "retry-after": "7", "inin-ratelimit-reset": "12" }, 7],
    [429, { "retry-after": "1.2" }, 2],
    [429, { "retry-after": "0" }, 5],
    [429, { "retry-after": "3600" }, 60],
  ])("throws 503 after a %i with %j, without another call for %i s", async (status, headers, seconds) => {
    reply = () => ({ status, headers });
    await expect(check()).rejects.toEqual(unavailable(seconds));
    clock.advance(0.5);
    await expect(check()).rejects.toEqual(unavailable(seconds));
    clock.advance(seconds - 1);
    await expect(check()).rejects.toEqual(unavailable(1));
    expect(paths).toHaveLength(1);

    clock.advance(0.5);
    reply = () => ok();
    await expect(check()).resolves.toBeUndefined();
  });

  test("throws 503 if the response takes more than 3 s", async () => {
    reply = () => "silence";
    const asked = shortenTimeouts();
    await expect(check()).rejects.toEqual(unavailable(5));
    expect(asked).toEqual([3000]);
  });

  test.each([
    [{ "inin-correlation-id": "c-1" }, "c-1"],
    [{}, null],
  ])("logs status and correlation ID of a 503 with %j, and no token", async (headers, correlationId) => {
    reply = () => ({ status: 503, headers });
    await expect(check()).rejects.toEqual(unavailable(5));
    expect(log.fieldsOf("contact-centre-unavailable")).toEqual({ status: 503, correlationId });
    expect(JSON.stringify(log.lines)).not.toContain("agent-token");
  });

  test("throws 503 and logs the cause if the contact centre cannot be reached", async () => {
    checkToken = checkAt("http://127.0.0.1:1");
    await expect(check()).rejects.toEqual(unavailable(5));
    expect(log.lines).toEqual([
      {
        level: "warn",
        event: "contact-centre-unavailable",
        fields: { status: null },
        cause: expect.objectContaining({ code: "ECONNREFUSED" }),
      },
    ]);
  });
});
