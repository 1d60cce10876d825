/** The tenant's signing keys, kept through outages of the identity provider. */
import { createPublicKey, type KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";

/** What the identity provider publishes at one moment. */
export interface PublishedKeys {
  readonly issuers: readonly string[];
  /** PEM by key id. */
  readonly keys: ReadonlyMap<string, string>;
}

export interface SigningKeys {
  /** The key of this id and the issuers whose tokens it may have signed; throws `identity-provider-unavailable`. */
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
 * Known keys work on for 24 h when no fetch succeeds. They are refreshed hourly behind the answers; an unknown key id
 * causes at most one fetch in 5 minutes, whoever sends it; fetches are shared by all who wait for one.
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

  const mayTry = () => clock.now() - lastFailureAt >= failurePauseMilliseconds;

  return {
    async find(keyId, log) {
      const isExpired = known === undefined || clock.now() - known.fetchedAt >= keptMilliseconds;
      if (isExpired) {
        if (pending || mayTry()) await refresh(log);
        if (known === undefined || clock.now() - known.fetchedAt >= keptMilliseconds) {
          throw new GatewayError("identity-provider-unavailable", { retryAfterSeconds: 10 });
        }
        // Keys that were fetched just now do not hold it, and another fetch would not either.
        if (!known.keys.has(keyId)) lastUnknownAt = clock.now();
      } else if (!known?.keys.has(keyId)) {
        if (clock.now() - lastUnknownAt >= unknownKeyPauseMilliseconds) {
          lastUnknownAt = clock.now();
          await refresh(log);
        } else if (pending) {
          await pending;
        }
      } else if (clock.now() - known.fetchedAt >= refreshAfterMilliseconds && mayTry()) {
        // Behind the answer: it never rejects, and the known key does for this request.
        void refresh(log);
      }
      return { key: known?.keys.get(keyId), issuers: known?.issuers ?? [] };
    },
  };
}
