/** Counts the calls that the Management API received. */

interface RequestCounts {
  total: number;
  /** By method and path with ids as `{id}`, for example `GET /api/admin/configuration/v1/conference/{id}/`. */
  readonly byRoute: Record<string, number>;
  /** By status, `reset` or `silence`. */
  readonly byOutcome: Record<string, number>;
  inFlight: number;
  maxInFlight: number;
  /** DELETE or PUT on a whole list, which would wipe the platform. */
  listWipeAttempts: number;
}

export function createRequestLog() {
  const empty = (inFlight: number): RequestCounts => ({
    total: 0,
    byRoute: {},
    byOutcome: {},
    inFlight,
    maxInFlight: inFlight,
    listWipeAttempts: 0,
  });
  let counts = empty(0);
  const count = (table: Record<string, number>, key: string): void => {
    table[key] = (table[key] ?? 0) + 1;
  };
  return {
    counts: () => structuredClone(counts),
    /** Counts a call as in flight; the returned function records its outcome. */
    begin: (method: string, path: string) => {
      counts.total += 1;
      counts.inFlight += 1;
      counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
      count(counts.byRoute, `${method} ${path.replace(/\/(\d+|[0-9a-f]{8}-[0-9a-f-]+)\/$/, "/{id}/")}`);
      return (outcome: string) => {
        counts.inFlight -= 1;
        count(counts.byOutcome, outcome);
      };
    },
    countListWipe: () => {
      counts.listWipeAttempts += 1;
    },
    /** Resets all counts except calls in flight. */
    clear: () => {
      counts = empty(counts.inFlight);
    },
  };
}
