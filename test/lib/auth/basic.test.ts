/** The event sink's HTTP Basic check: both pairs during a rotation, and nothing else. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createBasicCheck } from "../../../src/lib/auth/basic.ts";

const current = { username: "sink", password: "päss:word 1" };
const previous = { username: "old-sink", password: "x" };
const check = createBasicCheck([current, previous]);
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test.each([
  ["the current pair", basic("sink:päss:word 1"), "current"],
  ["the previous pair", basic("old-sink:x"), "previous"],
  ["the scheme in mixed case", basic("old-sink:x").replace("Basic", "bAsIc"), "previous"],
  ["a pair surrounded by spaces", `${basic("old-sink:x").replace(" ", "   ")}  `, "previous"],
])("the check accepts %s and returns which pair it is", (_, authorization, credentials) => {
  expect(check(authorization)).toBe(credentials);
});

test.each([
  ["no header", null],
  ["an empty header", ""],
  ["no credentials", "Basic "],
  ["no colon", basic("sink")],
  ["an empty pair", basic(":")],
  ["text before the scheme", `x ${basic("old-sink:x")}`],
  ["text after the credentials", `${basic("old-sink:x")} x`],
  ["the name of one pair with the password of the other", basic("sink:x")],
  ["a prefix of the password", basic("sink:päss:word")],
  ["a longer password", basic("sink:päss:word 11")],
  ["a user name in another case", basic("Sink:päss:word 1")],
  ["another scheme", `Bearer ${Buffer.from("old-sink:x").toString("base64")}`],
  ["characters that are not base64", "Basic $$$$"],
  ["credentials without base64", "Basic old-sink:x"],
  ["a header of 100 kB", basic(`sink:${"x".repeat(100_000)}`)],
])("the check throws 401 with a challenge for %s", (_, authorization) => {
  expect(() => check(authorization)).toThrow(
    expect.objectContaining({
      code: "unauthenticated",
      status: 401,
      details: { challenge: 'Basic realm="vmr-gateway", charset="UTF-8"' },
    }),
  );
});

test.each([
  ["capital letters", "Sink", "PassWord"],
  ["bytes that base64 encodes as + and /", "sink", "~~~???>>>"],
])("the check accepts a pair with %s in both base64 alphabets", (_, username, password) => {
  const checkPair = createBasicCheck([{ username, password }]);
  const pair = `${username}:${password}`;
  expect(() => checkPair(basic(pair))).not.toThrow();
  expect(() => checkPair(`Basic ${Buffer.from(pair).toString("base64url")}`)).not.toThrow();
});

test("the check throws 401 for any other pair of any length", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (username, password) => {
      fc.pre(`${username}:${password}` !== "old-sink:x");
      expect(() => check(basic(`${username}:${password}`))).toThrow(
        expect.objectContaining({ code: "unauthenticated" }),
      );
    }),
  );
});

test("the check throws 401 for every caller if no pair is configured", () => {
  expect(() => createBasicCheck([])(basic(":"))).toThrow(
    expect.objectContaining({ code: "unauthenticated" }),
  );
});
