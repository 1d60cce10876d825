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

export interface RequestLog {
  readonly counts: () => RequestCounts;
  /** Counts a call as in flight; the returned function records its outcome. */
  readonly begin: (method: string, path: string) => (outcome: string) => void;
  readonly countListWipe: () => void;
  /** Resets all counts except calls in flight. */
  readonly clear: () => void;
}

export function createRequestLog(): RequestLog {
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
    begin: (method, path) => {
      counts.total += 1;
      counts.inFlight += 1;
      counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
      count(counts.byRoute, `${method} ${path.replace(/\/(\d+|[0-9a-f]{8}-[0-9a-f-]+)\/$/, "/{id}/")}`);
      return (outcome) => {
        counts.inFlight -= 1;
        count(counts.byOutcome, outcome);
      };
    },
    countListWipe: () => {
      counts.listWipeAttempts += 1;
    },
    clear: () => {
      counts = empty(counts.inFlight);
    },
  };
}
