/** Properties of untrusted values. */
import { expect, test } from "vitest";
import { asRecord } from "../../../src/lib/platform/as-record.ts";

test("asRecord returns the properties of an object", () => {
  expect(asRecord({ a: 1, b: null })).toEqual({ a: 1, b: null });
});

test.each([undefined, null, "text", 5, true])("asRecord returns an empty record for %j", (value) => {
  expect(asRecord(value)).toEqual({});
});
