/** Changes the process's time for libraries that accept no clock. */
import { afterEach, beforeEach, vi } from "vitest";

/** Returns a function that moves the process's time by this many seconds until the test ends. */
export function useMovableTime(): (seconds: number) => Promise<void> {
  const [dateNow, performanceNow] = [Date.now.bind(Date), performance.now.bind(performance)];
  let movedMilliseconds = 0;
  beforeEach(() => {
    movedMilliseconds = 0;
    vi.spyOn(Date, "now").mockImplementation(() => dateNow() + movedMilliseconds);
    vi.spyOn(performance, "now").mockImplementation(() => performanceNow() + movedMilliseconds);
  });
  afterEach(() => vi.restoreAllMocks());
  return async (seconds) => {
    movedMilliseconds += seconds * 1000;
    // lru-cache reads the time once per millisecond and forgets it by a timer, which ends before this one.
    await new Promise((resolve) => void setTimeout(resolve, 2));
  };
}
