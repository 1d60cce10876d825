/** Contact-centre tokens: accepted users, cached verdicts, and failures of the contact centre. */
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { type ContactCentreCheck, createContactCentreCheck } from "../../../src/lib/auth/contact-centre.ts";
import { createManualClock, type ManualClock } from "../../../tools/simulators/memory/clock.ts";
import { type Answer, startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const divisionId = "55555555-5555-4555-8555-55555555abcd";
const user = { state: "active", division: { id: divisionId } };
const page = "<html>Blocked</html>";
const ok = (body: unknown = user) => ({ status: 200, body });
const forbidden = expect.objectContaining({ code: "forbidden", status: 403, details: { reason: "user" } });
const unauthenticated = (reason: string, hint = "", more = {}) => {
  const details = { challenge: `x-auth-token realm="vmr-gateway"${hint}`, reason, ...more };
  return expect.objectContaining({ code: "unauthenticated", status: 401, details });
};
const refusedWith = (contactCentreStatus: number) =>
  unauthenticated("refused-by-contact-centre", "", { failedCall: { contactCentreStatus } });
const unavailable = (retryAfterSeconds: number) =>
  expect.objectContaining({
    code: "contact-centre-unavailable",
    status: 503,
    details: { retryAfterSeconds },
  });

/** The contact centre's responses by token, and the tokens of the calls so far. */
let reply: (token: string) => Answer | Promise<Answer>;
let calls: string[];
const centre = useStartedPerTest(async () =>
  startLoopbackServer(({ url, headers }) => {
    const token = String(headers.authorization).replace("Bearer ", "");
    calls.push(token);
    return url.pathname === "/api/v2/users/me" ? reply(token) : { status: 404 };
  }),
);
let clock: ManualClock;
let log: RecordingLog;
let checkToken: ContactCentreCheck;
beforeEach(() => {
  reply = () => ok();
  calls = [];
  clock = createManualClock();
  log = createRecordingLog();
  checkToken = checkAt(centre.url);
});

const checkAt = (url: string) => createContactCentreCheck({ url, divisionIds: ["other", divisionId] }, clock);
/** Returns undefined for an accepted token, and the error otherwise. */
const outcomeOf = async (token: string | null = "agent-token"): Promise<unknown> =>
  checkToken(token, log).catch((error: unknown) => error);
/** Has the token accepted, so that the next verdict replaces one that has expired. */
async function becomeKnown(): Promise<void> {
  await outcomeOf();
  clock.advance(60);
  calls = [];
}

test.each([
  ["accepts an active user of an authorised division", user, undefined],
  ["accepts a user of an authorised division without a state", { division: user.division }, undefined],
  [
    "throws 403 for a user of a division whose name is the ID of an authorised one",
    { ...user, division: { id: divisionId.slice(0, -1), name: divisionId } },
    forbidden,
  ],
  [
    "throws 403 for a user of a division whose ID is an authorised one in capitals",
    { ...user, division: { id: divisionId.toUpperCase() } },
    forbidden,
  ],
  ["throws 403 for a user without a division", { state: "active" }, forbidden],
  ["throws 403 for an inactive user", { ...user, state: "inactive" }, forbidden],
  ["throws 403 for a deleted user", { ...user, state: "deleted" }, forbidden],
  ["throws 503 for a division without an ID", { ...user, division: {} }, unavailable(5)],
])("The check %s", async (_, body, outcome) => {
  reply = () => ok(body);
  expect(await outcomeOf()).toEqual(outcome);
});

const hint = ', error_description="Send the token without Bearer."';
test.each([
  ["no token", null, unauthenticated("no-token")],
  ["an empty token", "", unauthenticated("no-token")],
  ["a token of 4,097 characters", "x".repeat(4097), unauthenticated("malformed")],
  ["a token with a line break", "agent-token\r\nX-Other: 1", unauthenticated("malformed")],
  ["a token with other letters", "agentÿ", unauthenticated("malformed")],
  ["a token after Bearer, and says so", "Bearer agent-token", unauthenticated("malformed", hint)],
])("The check throws 401 without a call for %s", async (_, token, error) => {
  expect(await outcomeOf(token)).toEqual(error);
  expect(calls).toEqual([]);
});

test.each(["x".repeat(4096), "AZaz09-._~+/="])("The check sends the token %s unchanged", async (token) => {
  expect(await outcomeOf(token)).toBeUndefined();
  expect(calls).toEqual([token]);
});

test.each<[string, number, Answer, unknown]>([
  ["that accepts", 60, ok(), undefined],
  ["that forbids", 60, ok({ ...user, division: { id: "another" } }), forbidden],
  ["with the status 401", 10, { status: 401 }, refusedWith(401)],
  ["with an error 404", 10, { status: 404, body: { code: "not.found", status: 404 } }, refusedWith(404)],
])(
  "A verdict %s about a known agent is used for %i s, or until the clock is set back",
  async (_, seconds, answer, outcome) => {
    await becomeKnown();
    reply = () => answer;
    expect(await outcomeOf()).toEqual(outcome);
    clock.advance(seconds - 0.001);
    expect(await outcomeOf()).toEqual(outcome);
    expect(calls).toHaveLength(1);
    clock.advance(0.001);
    await outcomeOf();
    expect(calls).toHaveLength(2);
    clock.advance(-1);
    await outcomeOf();
    expect(calls).toHaveLength(3);
  },
);

test("At most 4 calls run and 40 wait: known agents go first, and only unknown tokens are refused", async () => {
  await outcomeOf("early-agent");
  await becomeKnown();
  const pending: (() => void)[] = [];
  reply = async (token) => {
    await new Promise<void>((resolve) => void pending.push(resolve));
    return token.startsWith("invented") ? { status: 401 } : ok();
  };
  const invent = (from: number, count: number) =>
    Array.from({ length: count }, async (_, index) => outcomeOf(`invented-${from + index}`));
  const running = invent(0, 4);
  // Does not take the place of an unknown token.
  const earlyAgent = outcomeOf("early-agent");
  const invented = [...running, ...invent(4, 40)];
  const sharing = ["invented-0", "invented-43"].map(outcomeOf);
  for (let index = 44; index < 60; index++)
    expect(await outcomeOf(`invented-${index}`)).toEqual(unavailable(5));
  const line = { level: "warn", event: "contact-centre-unavailable", fields: { status: null, waiting: 40 } };
  expect(log.lines).toMatchObject(Array(16).fill(line));
  const agent = outcomeOf("agent-token");

  for (let finished = 0; finished < 46; finished++) {
    await expect.poll(() => pending.length, { interval: 2 }).toBe(Math.min(4, 46 - finished));
    pending.shift()?.();
  }
  expect(await Promise.all([earlyAgent, agent])).toEqual([undefined, undefined]);
  expect(await Promise.all([...invented, ...sharing])).toEqual(Array(46).fill(refusedWith(401)));
  expect([calls.length, ...calls.slice(4, 6)]).toEqual([46, "early-agent", "agent-token"]);
});

test("After two calls in a row without a response, no call is made for 5 s, also for agents who already wait", async () => {
  for (const name of ["a", "b"]) {
    reply = () => "reset";
    expect(await outcomeOf(`refused-${name}`)).toEqual(unavailable(5));
    reply = () => ok();
    expect(await outcomeOf(`accepted-${name}`)).toBeUndefined();
  }
  const agents = Array.from({ length: 30 }, (_, index) => `agent-${index}`);
  const checkAll = async () => Promise.all(agents.map(outcomeOf));
  reply = () => "reset";
  calls = [];
  expect(await checkAll()).toEqual(Array(30).fill(unavailable(5)));
  // Four at once, and one more after the first of them.
  expect(calls.length).toBeLessThanOrEqual(5);
  clock.advance(5);
  reply = () => ok();
  expect(await checkAll()).toEqual(Array(30).fill(undefined));
});

test("An agent who asks alone in these 5 s is accepted after them, like everybody else", async () => {
  reply = () => "reset";
  await outcomeOf("agent-1");
  await outcomeOf("agent-2");
  reply = () => ok();
  expect(await outcomeOf("agent-3")).toEqual(unavailable(5));
  clock.advance(4);
  expect(await outcomeOf("agent-3")).toEqual(unavailable(1));
  expect(calls).toEqual(["agent-1", "agent-2"]);
  clock.advance(1);
  expect(await outcomeOf("agent-3")).toBeUndefined();
});

test("Whatever happened before, a minute later each token is checked again, and gets the verdict that it deserves", async () => {
  const deserved = {
    "agent-1": undefined,
    "agent-2": undefined,
    invented: refusedWith(401),
    other: forbidden,
  };
  const tokens = ["agent-1", "agent-2", "invented", "other"] as const;
  const whenWell = (token: string) => {
    if (token === "invented") return { status: 401 };
    return ok(token === "other" ? { ...user, division: { id: "another" } } : user);
  };
  const answers = fc.constantFrom<Answer | undefined>(
    undefined,
    "reset",
    "reset",
    { status: 500 },
    { status: 429, headers: { "retry-after": "20" } },
    { status: 200, body: page },
  );
  const step = fc.record({
    answers: fc.array(answers, { minLength: 1, maxLength: 3 }),
    asking: fc.array(fc.constantFrom(...tokens), { maxLength: 10 }),
    seconds: fc.constantFrom(0, 1, 4, 6, 30, 61),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (history) => {
      checkToken = checkAt(centre.url);
      for (const { answers: given, asking, seconds } of history) {
        reply = async (token) => {
          await setImmediate();
          return given[calls.length % given.length] ?? whenWell(token);
        };
        await Promise.all(
          asking.map(async (token) => {
            const outcome = await outcomeOf(token);
            expect([deserved[token], expect.objectContaining({ status: 503 })]).toContainEqual(outcome);
          }),
        );
        clock.advance(seconds);
      }
      reply = whenWell;
      clock.advance(61);
      calls = [];
      for (const token of tokens) expect(await outcomeOf(token)).toEqual(deserved[token]);
      expect(calls).toEqual(tokens);
    }),
    { numRuns: 60 },
  );
});

test("Invented tokens do not displace the verdict of an agent", async () => {
  await outcomeOf("agent-token");
  reply = () => ({ status: 401 });
  const invented = Array.from({ length: 1001 }, (_, index) => `invented-${index}`);
  while (invented.length > 0) await Promise.all(invented.splice(0, 40).map(outcomeOf));
  expect(await outcomeOf("agent-token")).toBeUndefined();
});

const errorBody = (status: unknown) => ({ code: "not.authorized", status, message: "text" });
test.each<[string, Answer, unknown]>([
  ["401 with a page", { status: 401, body: page }, refusedWith(401)],
  ["400 with an error", { status: 400, body: errorBody(400) }, refusedWith(400)],
  ["403 with an error", { status: 403, body: errorBody(403) }, refusedWith(403)],
  ["403 with the error of another status", { status: 403, body: errorBody(404) }, unavailable(5)],
  ["403 with other JSON", { status: 403, body: { status: 403 } }, unavailable(5)],
  ["404 without a body", { status: 404 }, unavailable(5)],
  ["407 with an error", { status: 407, body: errorBody(407) }, unavailable(5)],
  ["202 with a user", { status: 202, body: user }, unavailable(5)],
])("Only the contact centre itself refuses a token: %s", async (_, answer, outcome) => {
  reply = () => answer;
  expect(await outcomeOf()).toEqual(outcome);
});

test.each<[number, string, number, Record<string, string>]>([
  [503, "without a time", 5, { "inin-correlation-id": "c-1" }],
  [429, "with a reset after 12 s", 12, { "inin-ratelimit-reset": "12" }],
  [429, "with Retry-After: 7 and another reset", 7, { "retry-after": "7", "inin-ratelimit-reset": "12" }],
  [429, "with Retry-After: 1.2", 2, { "retry-after": "1.2" }],
  [429, "with Retry-After: 0", 5, { "retry-after": "0" }],
  [429, "with Retry-After: 3600", 60, { "retry-after": "3600" }],
])(
  "The check throws 503 after a %i %s, without another call for %i s",
  async (status, _, seconds, headers) => {
    await becomeKnown();
    reply = () => ({ status, headers, body: errorBody(status) });
    expect(await outcomeOf()).toEqual(unavailable(seconds));
    clock.advance(0.5);
    expect(await outcomeOf()).toEqual(unavailable(seconds));
    clock.advance(seconds - 1);
    expect(await outcomeOf()).toEqual(unavailable(1));
    expect(calls).toHaveLength(1);
    const contactCentreCorrelationId = headers["inin-correlation-id"] ?? null;
    expect(log.lines.map(({ event, fields }) => [event, fields])).toEqual([
      ["contact-centre-unavailable", { status, contactCentreCorrelationId }],
    ]);
    expect(JSON.stringify(log.lines)).not.toContain("agent-token");
    clock.advance(0.5);
    reply = () => ok();
    expect(await outcomeOf()).toBeUndefined();
  },
);

test("The check throws 503 and logs the cause if the contact centre cannot be reached", async () => {
  checkToken = checkAt("http://127.0.0.1:1");
  expect(await outcomeOf()).toEqual(unavailable(5));
  const line = { level: "warn", event: "contact-centre-unavailable", fields: { status: null } };
  expect(log.lines).toEqual([{ ...line, cause: expect.objectContaining({ code: "ECONNREFUSED" }) }]);
});
