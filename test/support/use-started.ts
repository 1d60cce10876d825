/** Fixtures that start before tests and stop after them. */
import { beforeAll, beforeEach } from "vitest";

interface Stoppable {
  readonly stop: () => Promise<void>;
}

/** Starts one for all tests of the file. The returned object has its members only while tests and hooks run. */
export function useStarted<T extends Stoppable>(start: () => Promise<T>): T {
  const started: T = Object.create(null);
  beforeAll(async () => fill(started, await start()));
  return started;
}

/** Starts a new one for each test. */
export function useStartedPerTest<T extends Stoppable>(start: () => Promise<T>): T {
  const started: T = Object.create(null);
  beforeEach(async () => fill(started, await start()));
  return started;
}

/** Returns the clean-up function, which Vitest calls after the tests. */
function fill<T extends Stoppable>(started: T, running: T): () => Promise<void> {
  Object.assign(started, running);
  return async () => running.stop();
}
