/** Runs work that no caller waits for, and leaves retries to the Functions host. */
import type { Log } from "../log.ts";

/** Runs `work`. Logs and rethrows any error, because the host records and retries only what throws. */
export async function runLogged(log: Log, work: (log: Log) => Promise<void>): Promise<void> {
  try {
    await work(log);
  } catch (error) {
    log.error("run-failed", {}, error);
    throw error;
  }
}
