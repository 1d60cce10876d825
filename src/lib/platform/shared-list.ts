/** Lists all conferences for callers: requests that arrive while a list is read share the next one. */
import type { Clock } from "../ports.ts";
import type { ConferenceRow, Conferences } from "./conferences.ts";
import { PlatformError } from "./errors.ts";

export type SharedList = ReturnType<typeof createSharedList>;

const maxSeconds = 60;

/** Creates the shared list. Does nothing until `list` is called. */
export function createSharedList(conferences: Pick<Conferences, "list">, clock: Clock) {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<ConferenceRow[]> | undefined;

  async function listAfter(earlier: Promise<unknown>): Promise<ConferenceRow[]> {
    const ended = new AbortController();
    const timeout = clock.sleep(maxSeconds * 1000, ended.signal).then(() => {
      const message = `list of conferences: not complete after ${maxSeconds} s`;
      throw new PlatformError({ outcome: "not-sent", isTimeout: true, message });
    });
    const startBefore = clock.now() + maxSeconds * 1000;
    const rows = Promise.allSettled([earlier]).then(async () => {
      // From here on, a caller needs another list.
      next = undefined;
      return conferences.list({ startBefore });
    });
    return Promise.race([rows, timeout]).finally(() => ended.abort());
  }

  return {
    /**
     * Returns all conferences as they are after this call. Never joins a list that has begun, which could miss a deletion.
     * Throws PlatformError if the platform fails, or `platform-timeout` after 60 s.
     */
    list: async (): Promise<ConferenceRow[]> => {
      next ??= listAfter(last);
      last = next;
      return next;
    },
  };
}
