/** Lists all conferences for callers: requests that arrive while a list is read share the next one. */
import type { Clock } from "../ports.ts";
import type { ConferenceRow, Conferences } from "./conferences.ts";
import { PlatformError } from "./errors.ts";

export type SharedList = ReturnType<typeof createSharedList>;

const maxSeconds = 60;

/** Creates the shared list. Does nothing until `list` is called. */
export function createSharedList(conferences: Conferences, clock: Clock) {
  let running: Promise<unknown> = Promise.resolve();
  let waiting: Promise<ConferenceRow[]> | undefined;

  async function listAfterRunning(startBefore: number): Promise<ConferenceRow[]> {
    await running.catch(() => undefined);
    // From here on, a caller needs another list.
    running = waiting ?? running;
    waiting = undefined;
    return conferences.list({ startBefore });
  }

  async function listInTime(): Promise<ConferenceRow[]> {
    const ended = new AbortController();
    const timeout = clock.sleep(maxSeconds * 1000, ended.signal).then(() => {
      const message = `list of conferences: not complete after ${maxSeconds} s`;
      throw new PlatformError({ outcome: "not-sent", isTimeout: true, message });
    });
    const rows = listAfterRunning(clock.now() + maxSeconds * 1000);
    return Promise.race([rows, timeout]).finally(() => ended.abort());
  }

  return {
    /**
     * Returns all conferences as they are after this call. Never joins a list that has begun, which could miss a deletion.
     * Throws PlatformError if the platform fails, or `platform-timeout` after 60 s.
     */
    list: async (): Promise<ConferenceRow[]> => (waiting ??= listInTime()),
  };
}
