/** The operating system's randomness. */
import { expect, test } from "vitest";
import { secureRandom } from "../../src/lib/ports.ts";

test("integerBelow returns every whole number below the limit and no other", () => {
  const drawn = new Set(Array.from({ length: 2000 }, () => secureRandom.integerBelow(10)));
  expect(drawn).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
});

test("bytes returns the requested number of bytes, different ones each time", () => {
  const drawn = Array.from({ length: 100 }, () => Buffer.from(secureRandom.bytes(18)).toString("hex"));
  expect(new Set(drawn.map((text) => text.length))).toEqual(new Set([36]));
  expect(new Set(drawn).size).toBe(100);
  expect(new Set(secureRandom.bytes(64)).size).toBeGreaterThan(10);
});
