/** Keeps the tenant's signing keys through outages of the identity provider. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../ports.ts";

/** The issuers and keys that the identity provider published at one moment. */
export interface PublishedKeys {
  readonly issuers: readonly string[];
  /** PEM by key ID. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Finds signing keys. */
export interface SigningKeys {
  /**
   * Returns the key with this ID, undefined if the provider does not publish it, and the issuers whose tokens it may
   * sign. Throws `identity-provider-unavailable` if no keys are known.
   */
  find(keyId: string, log: Log): Promise<{ key: KeyObject | undefined; issuers: readonly string[] }>;
}

interface KnownKeys {
  readonly issuers: readonly string[];
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly fetchedAt: number;
}

// https://learn.microsoft.com/entra/identity-platform/signing-key-rollover
const refreshAfterMilliseconds = 3600_000;
const keptMilliseconds = 24 * 3600_000;
const unknownKeyPauseMilliseconds = 300_000;
const failurePauseMilliseconds = 10_000;

/**
 * Creates a cache of signing keys. Known keys work for 24 h if no fetch succeeds. They are refreshed hourly in the
 * background. An unknown key ID causes at most one fetch in 5 minutes, and concurrent callers share one fetch.
 * This function is long because its parts share the state of the cache.
 */
export function createSigningKeys(fetchKeys: () => Promise<PublishedKeys>, clock: Clock): SigningKeys {
  let known: KnownKeys | undefined;
  let pending: Promise<void> | undefined;
  let lastFailureAt = Number.NEGATIVE_INFINITY;
  let lastUnknownAt = Number.NEGATIVE_INFINITY;

  async function refresh(log: Log): Promise<void> {
    pending ??= fetchOnce(log).finally(() => {
      pending = undefined;
    });
    return pending;
  }

  async function fetchOnce(log: Log): Promise<void> {
    try {
      const { issuers, keys } = await fetchKeys();
      const usable = [...keys].map(([keyId, pem]) => [keyId, createPublicKey(pem)] as const);
      known = { issuers, keys: new Map(usable), fetchedAt: clock.now() };
    } catch (error) {
      lastFailureAt = clock.now();
      const ageSeconds = known && Math.round((clock.now() - known.fetchedAt) / 1000);
      log.error("signing-keys-stale", { ageSeconds }, error);
    }
  }

  const ageMilliseconds = () => (known ? clock.now() - known.fetchedAt : Number.POSITIVE_INFINITY);
  const isExpired = () => ageMilliseconds() >= keptMilliseconds;
  const mayFetch = () => clock.now() - lastFailureAt >= failurePauseMilliseconds;

  async function fetchIfExpired(keyId: string, log: Log): Promise<void> {
    if (pending || mayFetch()) await refresh(log);
    if (known === undefined || isExpired()) {
      throw new GatewayError("identity-provider-unavailable", { retryAfterSeconds: 10 });
    }
    // The keys were fetched just now, so another fetch would not find the ID either.
    if (!known.keys.has(keyId)) lastUnknownAt = clock.now();
  }

  async function fetchForUnknownKey(log: Log): Promise<void> {
    if (clock.now() - lastUnknownAt >= unknownKeyPauseMilliseconds) {
      lastUnknownAt = clock.now();
      await refresh(log);
    } else if (pending) {
      await pending;
    }
  }

  return {
    async find(keyId, log) {
      if (isExpired()) await fetchIfExpired(keyId, log);
      else if (!known?.keys.has(keyId)) await fetchForUnknownKey(log);
      // In the background: it never rejects, and the known key is good enough for this request.
      else if (ageMilliseconds() >= refreshAfterMilliseconds && mayFetch()) void refresh(log);
      return { key: known?.keys.get(keyId), issuers: known?.issuers ?? [] };
    },
  };
}
