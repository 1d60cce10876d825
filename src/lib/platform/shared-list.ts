/** Lists all conferences for callers: requests that arrive while a list is read share the next one. */
import type { Clock } from "../ports.ts";
import { PlatformBusyError } from "./client.ts";
import type { ConferenceRow, Conferences } from "./conferences.ts";

export type SharedList = ReturnType<typeof createSharedList>;

const maxSeconds = 60;
// The responses of all who share a list are written at once: 5,000 rooms for 20 callers keep a processor busy for 2 s, and
// a claim's change whose response waits for longer than its timeout costs a room.
const maxWaiting = 20;

/** Creates the shared list. Does nothing until `list` is called. */
export function createSharedList(conferences: Pick<Conferences, "list">, clock: Clock) {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<ConferenceRow[]> | undefined;
  let waiting = 0;

  async function listAfter(earlier: Promise<unknown>): Promise<ConferenceRow[]> {
    await Promise.allSettled([earlier]);
    // From here on, a caller needs another list.
    next = undefined;
    return conferences.list({ startBefore: clock.now() + maxSeconds * 1000 });
  }

  return {
    /**
     * Returns all conferences as they are after this call. Never joins a list that has begun, which could miss a deletion.
     * Throws PlatformError if the platform fails, if the pages take more than 60 s, or if too many callers wait.
     */
    async list(): Promise<ConferenceRow[]> {
      if (waiting >= maxWaiting) throw new PlatformBusyError();
      next ??= listAfter(last);
      last = next;
      waiting += 1;
      return next.finally(() => {
        waiting -= 1;
      });
    },
  };
}
