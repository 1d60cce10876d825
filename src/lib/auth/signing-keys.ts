/** The tenant's signing keys and issuers, as the identity provider publishes them. */
import axios from "axios";
import jwksRsa from "jwks-rsa";
import * as z from "zod";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../ports.ts";

/** Where a tenant's metadata documents are. */
interface Tenant {
  readonly authority: string;
  readonly tenantId: string;
}

export type SigningKeys = ReturnType<typeof createSigningKeys>;

const Metadata = z.object({ issuer: z.string().min(1), jwks_uri: z.url() });
const KeySet = z.object({ keys: z.array(z.looseObject({})).min(1) });

const timeoutMilliseconds = 5000;
const pauseSeconds = 10;
const hourMilliseconds = 3600_000;
// Far more than a tenant has, so no key is displaced by another one.
const maxKeys = 1000;

/**
 * Creates a cache of signing keys. A key is fetched again after an hour, and works for 24 hours if no fetch succeeds.
 * All callers share one fetch and use its outcome for ten seconds, so unknown key IDs cause few fetches.
 */
export function createSigningKeys(tenant: Tenant, clock: Clock) {
  let issuers: readonly string[] = [];
  let keyIds: ReadonlySet<unknown> = new Set();
  let fetchedAt: number | undefined;
  let latest: { readonly startedAt: number; readonly published: ReturnType<typeof fetchOnce> } | undefined;
  let unloggedFailure: unknown;

  async function fetchOnce() {
    try {
      const published = await fetchPublishedKeys(tenant);
      issuers = published.issuers;
      keyIds = new Set(published.keys.map(({ kid }) => kid));
      fetchedAt = clock.now();
      return published;
    } catch (error) {
      unloggedFailure = error;
      throw error;
    }
  }

  // The library's own rate limit is off: once unknown IDs have used it up, it refuses known keys too.
  async function fetchShared() {
    const ageSeconds = latest && (clock.now() - latest.startedAt) / 1000;
    // A clock that is set back ends the pause.
    const isRecent = ageSeconds !== undefined && ageSeconds >= 0 && ageSeconds < pauseSeconds;
    if (!latest || !isRecent) latest = { startedAt: clock.now(), published: fetchOnce() };
    return latest.published;
  }

  const client = jwksRsa({
    cacheMaxEntries: maxKeys,
    cacheMaxAge: hourMilliseconds,
    cacheMaxAgeFallback: 23 * hourMilliseconds,
    fetcher: fetchShared,
  });

  /** Logs each failed fetch once, through the first caller that comes after it. */
  function logFailure(log: Log): void {
    if (unloggedFailure === undefined) return;
    const ageSeconds = fetchedAt && Math.round((clock.now() - fetchedAt) / 1000);
    log.error("signing-keys-stale", { ageSeconds }, unloggedFailure);
    unloggedFailure = undefined;
  }

  return {
    /**
     * Returns the key with this ID in PEM format, undefined if the provider does not publish it, and the issuers whose
     * tokens it may sign. Throws `identity-provider-unavailable` if that cannot be determined.
     */
    async find(keyId: string, log: Log) {
      try {
        // The library would convert every published key for each unknown ID, which takes milliseconds.
        if (!keyIds.has(keyId)) await fetchShared();
        if (!keyIds.has(keyId)) return { publicKey: undefined, issuers };
        const key = await client.getSigningKey(keyId);
        return { publicKey: key.getPublicKey(), issuers };
      } catch (error) {
        if (error instanceof jwksRsa.SigningKeyNotFoundError) return { publicKey: undefined, issuers };
        throw new GatewayError("identity-provider-unavailable", { retryAfterSeconds: pauseSeconds });
      } finally {
        logFailure(log);
      }
    },
    /** Fetches all keys, so the first caller need not wait for them. Never rejects. */
    async prefetch(): Promise<void> {
      try {
        const keys = await client.getSigningKeys();
        await Promise.all(keys.map(async ({ kid }) => client.getSigningKey(kid)));
      } catch {
        // The next caller logs the failure. Ten seconds later, one fetches again.
      }
    },
  };
}

/**
 * Reads both metadata documents of the tenant and every key set that they name. Returns the issuers of both token
 * versions, and the keys that may sign their tokens. The issuers are not derived from the
 * authority, because a sovereign cloud names another host in the issuer of version 1 tokens. Throws an Error if one of
 * the documents cannot be read.
 */
export async function fetchPublishedKeys({ authority, tenantId }: Tenant) {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const documents = await Promise.all(
    ["", "/v2.0"].map(async (version) => {
      const url = `${authority}/${tenantId}${version}/.well-known/openid-configuration`;
      return read(url, Metadata, signal);
    }),
  );
  const urls = [...new Set(documents.map((document) => document.jwks_uri))];
  if (!urls.every((url) => isTrusted(url, authority))) throw new Error("the URL of the keys is not https");
  const sets = await Promise.all(
    urls.map(async (url) => {
      return (await read(url, KeySet, signal)).keys;
    }),
  );
  return { issuers: [...new Set(documents.map((document) => document.issuer))], keys: sets.flat() };
}

async function read<Document>(url: string, schema: z.ZodType<Document>, signal: AbortSignal) {
  const { status, data } = await axios.get<unknown>(url, { signal, maxRedirects: 0, proxy: false });
  const document = schema.safeParse(data).data;
  if (document === undefined) throw new Error(`${url}: another document, with the status ${status}`);
  return document;
}

/** Keys are read over https, or from the authority itself, which may be on this machine. */
function isTrusted(url: string, authority: string): boolean {
  const { protocol, origin, username, password } = new URL(url);
  return (
    username === "" && password === "" && (protocol === "https:" || origin === new URL(authority).origin)
  );
}
