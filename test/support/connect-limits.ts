/** Shows whether the timers that limit the opening of connections have ended. */
import { onTestFinished, vi } from "vitest";

const connectMilliseconds = 5000;

/** Watches the timers until the test ends. The result returns, for each connection since then, whether its timer ended. */
export function watchConnectLimits(): () => boolean[] {
  const started = vi.spyOn(globalThis, "setTimeout");
  const ended = vi.spyOn(globalThis, "clearTimeout");
  onTestFinished(() => {
    started.mockRestore();
    ended.mockRestore();
  });
  return () => {
    const limits = started.mock.results.filter(
      (_, index) => started.mock.calls[index]?.[1] === connectMilliseconds,
    );
    const endedTimers = ended.mock.calls.map(([timer]) => timer);
    return limits.map(({ value }) => endedTimers.includes(value));
  };
}
