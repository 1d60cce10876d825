/** The system's clock: milliseconds since 1970, and sleeps that end no sooner than asked for. */
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";

test("now is the time since 1970 in milliseconds", () => {
  const [before, now, after] = [Date.now(), systemClock.now(), Date.now()];
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(after);
});

test("a sleep takes as many milliseconds as it is asked for", async () => {
  const startedAt = performance.now();
  await systemClock.sleep(30);
  // A timer may end a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
});
