/** Contact-centre tokens: which users are accepted, and how often the contact centre is called. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type ContactCentre,
  type ContactCentreUser,
  startContactCentre,
} from "../../../local/simulators/contact-centre.ts";
import { type ContactCentreCheck, createContactCentreCheck } from "../../../src/lib/auth/contact-centre.ts";
import { GatewayError } from "../../../src/lib/errors.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const divisionId = "55555555-5555-4555-8555-555555555555";
const agent: ContactCentreUser = {
  token: "agent-token",
  id: "44444444-4444-4444-8444-444444444444",
  name: "Test Agent",
  divisionId,
  divisionName: "SBC",
  state: "active",
};
const forbidden = { code: "forbidden", status: 403 };
const unauthenticated = {
  code: "unauthenticated",
  status: 401,
  details: { challenge: 'x-auth-token realm="vmr-gateway"' },
};

let centre: ContactCentre;
let clock: ManualClock;
let checkToken: ContactCentreCheck;
beforeEach(async () => {
  centre = await startContactCentre({
    users: [
      agent,
      { ...agent, token: "other-division", divisionId: "66666666-6666-4666-8666-666666666666" },
      { ...agent, token: "same-division-name", divisionId: "SBC", divisionName: divisionId },
      { ...agent, token: "inactive", state: "inactive" },
      { ...agent, token: "deleted", state: "deleted" },
    ],
  });
  clock = createManualClock();
  checkToken = createContactCentreCheck({ url: centre.url, divisionIds: ["other", divisionId] }, clock);
});
afterEach(async () => centre.stop());

const check = async (token: string | null) => checkToken(token, createRecordingLog());

test("the check accepts an active agent of an authorized division", async () => {
  await expect(check("agent-token")).resolves.toBeUndefined();
});

test.each([
  ["of another division", "other-division"],
  ["of a division whose name is the ID of an authorized one", "same-division-name"],
  ["who is inactive", "inactive"],
])("the check throws 403 for an agent %s", async (_, token) => {
  await expect(check(token)).rejects.toMatchObject(forbidden);
});

test.each(["unknown-token", "deleted"])("the check throws 401 for the token %s", async (token) => {
  await expect(check(token)).rejects.toMatchObject(unauthenticated);
});

describe("the check throws 401 without a call", () => {
  test.each([
    ["no token", null],
    ["an empty token", ""],
    ["a token of 4,097 characters", "x".repeat(4097)],
    ["a token with a space", "agent token"],
    ["a token with a line break", "agent-token\r\nX-Other: 1"],
    ["a token with other letters", "agentÿ"],
  ])("for %s", async (_, token) => {
    await expect(check(token)).rejects.toMatchObject(unauthenticated);
    expect(centre.callCount()).toBe(0);
  });

  test("for any token with a character that tokens cannot contain", async () => {
    const impossible = fc
      .string({ unit: "binary" })
      .filter((text) => !/^[A-Za-z0-9\-._~+/=]{1,4096}$/.test(text));
    await fc.assert(
      fc.asyncProperty(impossible, async (token) => {
        await expect(check(token)).rejects.toMatchObject(unauthenticated);
      }),
    );
    expect(centre.callCount()).toBe(0);
  });
});

describe("the number of calls", () => {
  test("an accepted token causes one call in 60 s", async () => {
    for (let second = 0; second < 60; second++) {
      await check("agent-token");
      clock.advance(1);
    }
    expect(centre.callCount()).toBe(1);
    await check("agent-token");
    expect(centre.callCount()).toBe(2);
  });

  test("an agent who leaves the division is forbidden after 60 s", async () => {
    await check("agent-token");
    centre.setUsers([{ ...agent, divisionId: "another" }]);
    clock.advance(60);

    await expect(check("agent-token")).rejects.toMatchObject(forbidden);
  });

  test("a refused token causes another call after 10 s", async () => {
    await expect(check("unknown-token")).rejects.toMatchObject(unauthenticated);
    clock.advance(9);
    await expect(check("unknown-token")).rejects.toMatchObject(unauthenticated);
    expect(centre.callCount()).toBe(1);
    clock.advance(1);
    await expect(check("unknown-token")).rejects.toMatchObject(unauthenticated);
    expect(centre.callCount()).toBe(2);
  });

  test("concurrent requests with one token cause one call", async () => {
    centre.setLatency(20);
    await Promise.all(Array.from({ length: 100 }, async () => check("agent-token")));
    expect(centre.callCount()).toBe(1);
  });

  test("a verdict is not used for another token", async () => {
    await check("agent-token");
    await expect(check("agent-tokem")).rejects.toMatchObject(unauthenticated);
    await expect(check("agent-token")).resolves.toBeUndefined();
  });

  test("verdicts are cached for 1,000 tokens, and the least recently used one is dropped first", async () => {
    centre.setRateLimit(null);
    await check("agent-token");
    const tokens = Array.from({ length: 1000 }, (_, index) => `unknown-${index}`);
    for (const token of tokens) await check(token).catch(() => undefined);
    expect(centre.callCount()).toBe(1001);

    await check("agent-token");
    expect(centre.callCount()).toBe(1002);
  });

  test("at most 4 calls run and 40 wait, and the check throws 503 for further tokens without a call", async () => {
    centre.setRateLimit(null);
    centre.setLatency(20);
    const tokens = Array.from({ length: 60 }, (_, index) => `waiting-${index}`);
    const outcomes = await Promise.all(
      tokens.map(async (token) => check(token).catch((error: unknown) => error)),
    );
    const turnedAway = outcomes.filter((error) => error instanceof GatewayError && error.status === 503);
    expect(turnedAway).toHaveLength(16);
    expect(centre.callCount()).toBe(44);
  });
});
