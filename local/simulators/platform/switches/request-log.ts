/** Counts of the calls that the Management API received, for tests to look at. */

interface RequestCounts {
  total: number;
  /** By method and path with ids as `{id}`, for example `GET /api/admin/configuration/v1/conference/{id}/`. */
  readonly byRoute: Record<string, number>;
  /** By status; calls without an answer count as `reset` or `silence`. */
  readonly byOutcome: Record<string, number>;
  inFlight: number;
  maxInFlight: number;
  /** DELETE or PUT on a whole list: each one would have been a catastrophe. */
  listWipeAttempts: number;
  /** Conference updates that carried `aliases`, on which no client may rely. */
  nestedAliasUpdates: number;
}

export interface RequestLog {
  readonly counts: () => RequestCounts;
  readonly inFlight: () => number;
  /** Counts a call in; the function it gives counts it out again. */
  readonly begin: (method: string, path: string) => (outcome: string) => void;
  readonly countListWipe: () => void;
  readonly countNestedAliasUpdate: () => void;
  /** Back to zero; what is in flight stays counted. */
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
    nestedAliasUpdates: 0,
  });
  let counts = empty(0);
  const count = (table: Record<string, number>, key: string): void => {
    table[key] = (table[key] ?? 0) + 1;
  };
  return {
    counts: () => structuredClone(counts),
    inFlight: () => counts.inFlight,
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
    countNestedAliasUpdate: () => {
      counts.nestedAliasUpdates += 1;
    },
    clear: () => {
      counts = empty(counts.inFlight);
    },
  };
}
