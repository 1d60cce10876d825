/** The system's clock and randomness. */
import { expect, test } from "vitest";
import { secureRandom, systemClock } from "../../src/lib/ports.ts";

test("now returns the milliseconds since 1970", () => {
  const [before, now, after] = [Date.now(), systemClock.now(), Date.now()];
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(after);
});

test("sleep resolves after the given milliseconds", async () => {
  const startedAt = performance.now();
  await systemClock.sleep(30);
  // A timer may end a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
});

test("integerBelow returns every whole number below the limit and no other", () => {
  const drawn = new Set(Array.from({ length: 2000 }, () => secureRandom.integerBelow(10)));
  expect(drawn).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
});

test("bytes returns the requested number of bytes, different ones each time", () => {
  const [first, second] = [secureRandom.bytes(18), secureRandom.bytes(18)];
  expect([first.length, second.length]).toEqual([18, 18]);
  expect(first).not.toEqual(second);
});
