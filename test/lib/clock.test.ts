/** The system clock. */
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/ports.ts";

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
