/** Lists of all conferences for callers: requests share a list, and each list ends in time. */
import type { Clock } from "../ports.ts";
import type { ConferenceRow } from "./conference-row.ts";
import type { Conferences } from "./conferences.ts";
import { PlatformError } from "./platform-error.ts";

/** The list of conferences, shared by the requests for it. */
export interface SharedList {
  /**
   * Returns all conferences as they are after this call. Joins a list only if its first page has not been asked for
   * yet: a later one could miss a deletion. Throws PlatformError if the platform fails, or `platform-timeout` if the
   * list has not begun after 20 s or is not complete after 60 s.
   */
  list(): Promise<ConferenceRow[]>;
}

interface Listing {
  isAsked: boolean;
  readonly rows: Promise<ConferenceRow[]>;
}

const maxWaitSeconds = 20;
const maxSeconds = 60;

/** Creates the shared list. Does nothing until `list` is called. */
export function createSharedList(conferences: Pick<Conferences, "list">, clock: Clock): SharedList {
  let latest: Listing | undefined;

  function start(): Listing {
    const abandoned = new AbortController();
    const { signal } = abandoned;
    const limits = {
      startBefore: clock.now() + maxSeconds * 1000,
      signal,
      onSend: () => {
        listing.isAsked = true;
      },
      isAwaitedList: true,
    };
    // Starts in a later microtask: `onSend` needs `listing`.
    const complete = Promise.resolve().then(async () => conferences.list(limits));
    // However it ends, its remaining pages are not asked for, and nobody joins it any more.
    const rows = Promise.race([complete, endInTime(() => listing.isAsked, signal)]).finally(() => {
      listing.isAsked = true;
      abandoned.abort();
    });
    const listing: Listing = { isAsked: false, rows };
    return listing;
  }

  async function endInTime(isAsked: () => boolean, signal: AbortSignal): Promise<never> {
    await clock.sleep(maxWaitSeconds * 1000, signal);
    if (isAsked()) await clock.sleep((maxSeconds - maxWaitSeconds) * 1000, signal);
    const message = isAsked() ? "not complete after 60 s" : "not begun after 20 s";
    throw new PlatformError({
      outcome: "not-sent",
      isTimeout: true,
      message: `list of conferences: ${message}`,
    });
  }

  return {
    async list() {
      if (latest === undefined || latest.isAsked) latest = start();
      return latest.rows;
    },
  };
}
