/** Fields of whatever came from outside. */
import { expect, test } from "vitest";
import { fieldsOf } from "../../src/lib/fields-of.ts";

test("an object has its fields", () => {
  expect(fieldsOf({ a: 1, b: null })).toEqual({ a: 1, b: null });
});

test.each([undefined, null, "text", 5, true])("%j has none", (value) => {
  expect(fieldsOf(value)).toEqual({});
});
