/** JSON faults: the offsets and messages of Python's decoder, and agreement with JSON.parse. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonFault } from "../../../src/lib/http/json-fault.ts";

// Generated with Python 3.11: the `pos` and `msg` of the error of `json.loads(text)`.
const vectors: [text: string, offset: number, reason: string][] = [
  ["", 0, "Expecting value"],
  [" ", 1, "Expecting value"],
  ["{", 1, "Expecting property name enclosed in double quotes"],
  ["[", 1, "Expecting value"],
  ["[1", 2, "Expecting ',' delimiter"],
  ["[1,", 3, "Expecting value"],
  ["[1,]", 3, "Expecting value"],
  ["[,1]", 1, "Expecting value"],
  ["[1 2]", 3, "Expecting ',' delimiter"],
  ["[1}", 2, "Expecting ',' delimiter"],
  ["[1]]", 3, "Extra data"],
  ["[[[", 3, "Expecting value"],
  ['["a":1]', 4, "Expecting ',' delimiter"],
  ['{"a"', 4, "Expecting ':' delimiter"],
  ['{"a":', 5, "Expecting value"],
  ['{"a":}', 5, "Expecting value"],
  ['{"a":1', 6, "Expecting ',' delimiter"],
  ['{"a":1,', 7, "Expecting property name enclosed in double quotes"],
  ['{"a":1,}', 7, "Expecting property name enclosed in double quotes"],
  ["{,}", 1, "Expecting property name enclosed in double quotes"],
  ['{"a" 1}', 5, "Expecting ':' delimiter"],
  ['{"a" :1 ,"b"}', 12, "Expecting ':' delimiter"],
  ["{a:1}", 1, "Expecting property name enclosed in double quotes"],
  ["{'a':1}", 1, "Expecting property name enclosed in double quotes"],
  ["{1:2}", 1, "Expecting property name enclosed in double quotes"],
  ['{"a":1 "b":2}', 7, "Expecting ',' delimiter"],
  ['{"a":1}}', 7, "Extra data"],
  ['{"a":[1,2}', 9, "Expecting ',' delimiter"],
  ['{"a":tru}', 5, "Expecting value"],
  ['{"k":-}', 5, "Expecting value"],
  ["nul", 0, "Expecting value"],
  ["truex", 4, "Extra data"],
  ["True", 0, "Expecting value"],
  ["nullnull", 4, "Extra data"],
  ["undefined", 0, "Expecting value"],
  ["hello", 0, "Expecting value"],
  ["01", 1, "Extra data"],
  ["-01", 2, "Extra data"],
  ["1.", 1, "Extra data"],
  ["1.e5", 1, "Extra data"],
  ["1e", 1, "Extra data"],
  ["1e+", 1, "Extra data"],
  ["-", 0, "Expecting value"],
  ["--1", 0, "Expecting value"],
  ["+1", 0, "Expecting value"],
  [".5", 0, "Expecting value"],
  ["0x10", 1, "Extra data"],
  ["1_000", 1, "Extra data"],
  ["[1.2.3]", 4, "Expecting ',' delimiter"],
  ["[1e5e5]", 4, "Expecting ',' delimiter"],
  ["[-]", 1, "Expecting value"],
  ['"abc', 0, "Unterminated string starting at"],
  ['"a\\"', 0, "Unterminated string starting at"],
  ['"\\', 0, "Unterminated string starting at"],
  ['"a\nb"', 2, "Invalid control character at"],
  ['{"a":"b\u0000"}', 7, "Invalid control character at"],
  ['"a\u001f"', 2, "Invalid control character at"],
  ['"\\x"', 1, "Invalid \\escape"],
  ['{"a":"b\\q"}', 7, "Invalid \\escape"],
  ['"\\u12"', 2, "Invalid \\uXXXX escape"],
  ['"\\u12g4"', 2, "Invalid \\uXXXX escape"],
  ['"\\u', 2, "Invalid \\uXXXX escape"],
  ['"\\ud800\\u12"', 8, "Invalid \\uXXXX escape"],
  ['["🏠" 1, "🏠"]', 5, "Expecting ',' delimiter"],
  ["[1] x", 4, "Extra data"],
  ["{} {}", 3, "Extra data"],
  ['"a" "b"', 4, "Extra data"],
  ['"\u00fc" x', 4, "Extra data"],
  ["  \n x", 4, "Expecting value"],
  ["\t[\n1,\n\t2\n,]", 10, "Expecting value"],
  ["/* c */ 1", 0, "Expecting value"],
  ["[1] // c", 4, "Extra data"],
  ["\u000b1", 0, "Expecting value"],
  ["\f1", 0, "Expecting value"],
  ["\u00a01", 0, "Expecting value"],
];

test.each(vectors)("the text %j has its first fault at %i: %s", (text, offset, reason) => {
  expect(findJsonFault(text)).toEqual({ offset, reason });
});

test("100,000 open brackets do not overflow the stack", () => {
  expect(findJsonFault("[".repeat(100_000))).toEqual({ offset: 100_000, reason: "Expecting value" });
  expect(findJsonFault('{"a":'.repeat(100_000))).toEqual({ offset: 500_000, reason: "Expecting value" });
});

test("a text has a fault exactly if JSON.parse rejects it", () => {
  const whole = fc.jsonValue().map((value) => JSON.stringify(value, undefined, 1));
  const pieces = ["{", "}", "[", "]", ":", ",", '"', "\\", "0", "-", ".", "e", "\\u", "\n", "true", " ", ""];
  const piece = fc.constantFrom(...pieces);
  const broken = fc.tuple(whole, fc.nat(), fc.nat({ max: 3 }), piece).map(([text, at, cut, inserted]) => {
    const start = at % (text.length + 1);
    return text.slice(0, start) + inserted + text.slice(start + cut);
  });
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.oneof(whole, broken, fc.string()), (text) => {
      const { offset, reason } = findJsonFault(text);
      const isFaultless = reason === "Extra data" && offset === text.length;
      expect(isFaultless).toBe(isJson(text));
      expect(offset).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 2000 },
  );
});

test("the time to find a fault in a long text grows linearly", () => {
  const text = `[${'"\\u0041\\n", '.repeat(200_000)}x]`;
  expect(findJsonFault(text)).toEqual({ offset: text.length - 2, reason: "Expecting value" });
});
