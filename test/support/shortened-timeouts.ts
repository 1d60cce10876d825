/** Shortens timeouts, for tests of what happens after them. */
import { onTestFinished, vi } from "vitest";

/**
 * Until the test ends, every `AbortSignal.timeout`, or every one of `only` milliseconds, is over after 50 ms. Returns
 * the milliseconds that were asked for.
 */
export function shortenTimeouts(only?: number): readonly number[] {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const asked: number[] = [];
  const shortened = vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    asked.push(milliseconds);
    return timeout(milliseconds === (only ?? milliseconds) ? 50 : milliseconds);
  });
  onTestFinished(() => shortened.mockRestore());
  return asked;
}
