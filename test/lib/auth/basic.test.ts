/** HTTP Basic of the event sink: both pairs during a rotation, and nothing else. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createBasicCheck } from "../../../src/lib/auth/basic.ts";

const current = { username: "sink", password: "päss:word 1" };
const previous = { username: "old-sink", password: "x" };
const check = createBasicCheck([current, previous]);
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test.each([
  ["the present pair", basic("sink:päss:word 1")],
  ["the pair before it", basic("old-sink:x")],
  ["the scheme in other case", basic("old-sink:x").replace("Basic", "bAsIc")],
  ["a pair with several spaces around it", `${basic("old-sink:x").replace(" ", "   ")}  `],
])("%s is accepted", (_, authorization) => {
  expect(() => check(authorization)).not.toThrow();
});

test.each([
  ["no header", null],
  ["an empty header", ""],
  ["no credentials", "Basic "],
  ["no colon", basic("sink")],
  ["an empty pair", basic(":")],
  ["something before the scheme", `x ${basic("old-sink:x")}`],
  ["something behind the credentials", `${basic("old-sink:x")} x`],
  ["the name of one pair with the password of the other", basic("sink:x")],
  ["a password that only begins right", basic("sink:päss:word")],
  ["a password that is longer", basic("sink:päss:word 11")],
  ["another case", basic("Sink:päss:word 1")],
  ["another scheme", `Bearer ${Buffer.from("old-sink:x").toString("base64")}`],
  ["characters that are not base64", "Basic $$$$"],
  ["credentials in clear", "Basic old-sink:x"],
  ["a header of 100 kB", basic(`sink:${"x".repeat(100_000)}`)],
])("%s: 401 with a challenge", (_, authorization) => {
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
  ["octets that base64 writes as + and /", "sink", "~~~???>>>"],
])("a pair with %s is accepted, in either alphabet of base64", (_, username, password) => {
  const checkPair = createBasicCheck([{ username, password }]);
  const pair = `${username}:${password}`;
  expect(() => checkPair(basic(pair))).not.toThrow();
  expect(() => checkPair(`Basic ${Buffer.from(pair).toString("base64url")}`)).not.toThrow();
});

test("no other pair of any length is accepted, and none makes the comparison fail", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (username, password) => {
      fc.pre(`${username}:${password}` !== "old-sink:x");
      expect(() => check(basic(`${username}:${password}`))).toThrow(
        expect.objectContaining({ code: "unauthenticated" }),
      );
    }),
  );
});

test("without accepted pairs nobody gets in", () => {
  expect(() => createBasicCheck([])(basic(":"))).toThrow(
    expect.objectContaining({ code: "unauthenticated" }),
  );
});
