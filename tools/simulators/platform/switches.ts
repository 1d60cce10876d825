/** The switches of a simulated platform: latency, behaviours and request limit. Also counts requests. */
import * as z from "zod";

const behaviourSchema = z.strictObject({
  maxPageSize: z.int().min(1),
  /** The licensed number of rooms; null means no limit. */
  roomLimit: z.int().min(0).nullable(),
  requestLimitPerMinute: z.int().min(1).nullable(),
});

/** Behaviour that differs between platform versions or is unknown. */
export type Behaviours = z.output<typeof behaviourSchema>;

export const behaviourChangesSchema = behaviourSchema.partial();

export const defaultBehaviours: Behaviours = {
  maxPageSize: 1000,
  roomLimit: null,
  requestLimitPerMinute: 1000,
};

export const latencySchema = z.strictObject({ milliseconds: z.number().min(0) });

const windowMilliseconds = 60_000;

/** The platform's limit on requests: fixed windows of 60 s, each starting with its first call. */
export function createRateLimit(now: () => number) {
  let windowStart = Number.NEGATIVE_INFINITY;
  let calls = 0;
  return {
    /** Counts a call. Returns undefined within `limit` (null means none), otherwise the seconds until the window ends. */
    count: (limit: number | null): number | undefined => {
      if (now() - windowStart >= windowMilliseconds) [windowStart, calls] = [now(), 0];
      calls += 1;
      if (limit === null || calls <= limit) return undefined;
      return Math.max(1, Math.ceil((windowStart + windowMilliseconds - now()) / 1000));
    },
    clear: (): void => {
      calls = 0;
    },
  };
}

/** Counts the calls that the Management API received. */
export function createRequestLog() {
  const empty = (inFlight: number) => ({
    total: 0,
    /** By method and path with ids as `{id}`, for example `GET /api/admin/configuration/v1/conference/{id}/`. */
    byRoute: {} as Record<string, number>,
    inFlight,
    /** DELETE or PUT on a whole list, which would wipe the platform. */
    listWipeAttempts: 0,
  });
  let counts = empty(0);
  return {
    counts: () => structuredClone(counts),
    /** Counts a call as in flight, until the returned function is called. */
    begin: (method: string, path: string) => {
      counts.total += 1;
      counts.inFlight += 1;
      const route = `${method} ${path.replace(/\/(\d+|[0-9a-f]{8}-[0-9a-f-]+)\/$/, "/{id}/")}`;
      counts.byRoute[route] = (counts.byRoute[route] ?? 0) + 1;
      return (): void => {
        counts.inFlight -= 1;
      };
    },
    countListWipe: (): void => {
      counts.listWipeAttempts += 1;
    },
    /** Resets all counts except calls in flight. */
    clear: (): void => {
      counts = empty(counts.inFlight);
    },
  };
}
