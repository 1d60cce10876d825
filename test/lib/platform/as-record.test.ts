/** Fields of whatever came from outside. */
import { expect, test } from "vitest";
import { asRecord } from "../../../src/lib/platform/as-record.ts";

test("an object has its fields", () => {
  expect(asRecord({ a: 1, b: null })).toEqual({ a: 1, b: null });
});

test.each([undefined, null, "text", 5, true])("%j has none", (value) => {
  expect(asRecord(value)).toEqual({});
});
