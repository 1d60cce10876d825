/** Lists all conferences for callers: requests that arrive while a list is read share the next one. */
import type { Clock } from "../ports.ts";
import { PlatformBusyError } from "./client.ts";
import type { ConferenceRow, Conferences } from "./conferences.ts";

export type SharedList = ReturnType<typeof createSharedList>;

const maxSeconds = 60;
// The responses of all who share a list are written at once: 5,000 rooms for 20 callers keep a processor busy for 2 s,
// and a claim's change whose response waits for longer than its timeout costs a room.
const maxWaiting = 20;

/** Creates the shared list. Does nothing until `list` is called. */
export function createSharedList(conferences: Pick<Conferences, "list">, clock: Clock) {
  let waiting = 0;
  /** The list that has not begun. All who come before it begins share it. */
  let next: Promise<ConferenceRow[]> | undefined;
  /** Resolves when the latest list has ended. */
  let latestEnd: Promise<unknown> = Promise.resolve();

  async function listAfter(earlierEnd: Promise<unknown>): Promise<ConferenceRow[]> {
    // Keep this first: `next` is set after this function has returned its promise.
    await earlierEnd;
    next = undefined;
    return conferences.list({ startBefore: clock.now() + maxSeconds * 1000 });
  }

  async function shareNext(): Promise<ConferenceRow[]> {
    if (next) return next;
    const list = listAfter(latestEnd);
    next = list;
    // Without the rows, which would stay in memory until another list has ended.
    latestEnd = list.then(
      () => undefined,
      () => undefined,
    );
    return list;
  }

  return {
    /**
     * Returns all conferences as they are after this call. Never joins a list that has begun, which could miss a
     * deletion. Throws PlatformError if the platform fails, if the pages take more than 60 s, or if too many callers
     * wait.
     */
    async list(): Promise<ConferenceRow[]> {
      if (waiting >= maxWaiting) throw new PlatformBusyError();
      waiting += 1;
      return shareNext().finally(() => {
        waiting -= 1;
      });
    },
  };
}
