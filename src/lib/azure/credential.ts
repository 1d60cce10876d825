/** The app's identity in Azure. */
import { once } from "node:events";
import type { HttpClient } from "@azure/core-rest-pipeline";
import type { AccessToken, TokenCredential } from "@azure/identity";
import { StorageOAuthScopes } from "@azure/storage-queue";
import { systemClock } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";

const maxWaitMilliseconds = 3000;
// A request is replaced when its callers have stopped waiting, so at most two are in progress.
const maxRequestMilliseconds = 2 * maxWaitMilliseconds;
const betweenRenewalsMilliseconds = 30_000;
// MSAL returns the token that it has until five minutes before its end (msal-common, tokenRenewalOffsetSeconds).
const renewBeforeMilliseconds = 300_000;

export interface AppCredential extends TokenCredential {
  /** Returns why a request for a token has failed, or undefined if a later one has succeeded. */
  readonly lastFailure: () => unknown;
}

/**
 * Creates the one credential that all Azure clients share: the managed identity that the settings name, otherwise
 * the machine's own login. The identity library is loaded with the first token, because a deployment
 * with a connection string does not use it. `getToken` throws if there is no token within 3 s.
 */
export function createCredential(storage: Settings["storage"]): AppCredential {
  let credential: TokenCredential | undefined;
  let failure: unknown;
  const tokens = new Map<string, () => Promise<AccessToken>>();
  const onFailure = (error: unknown) => {
    failure = error;
  };

  async function fetchToken(scopes: string | string[]): Promise<AccessToken> {
    credential ??= await loadCredential(storage);
    const token = await credential.getToken(scopes);
    if (!token) throw new Error("the identity has no token");
    failure = undefined;
    return token;
  }

  return {
    async getToken(scopes) {
      const key = String(scopes);
      const findToken = tokens.get(key) ?? shareToken(async () => fetchToken(scopes), onFailure);
      tokens.set(key, findToken);
      const timeout = once(AbortSignal.timeout(maxWaitMilliseconds), "abort").then(() => {
        throw new Error("no token within 3 s", { cause: failure });
      });
      const token = await Promise.race([findToken(), timeout]);
      // The SDK's clients would keep the token themselves (core-rest-pipeline, tokenCycler), and let a call wait for
      // several renewals that fail. They ask for the token of each call if it seems to have ended.
      return { ...token, expiresOnTimestamp: 0 };
    },
    lastFailure: () => failure,
  };
}

/** Requests the token of a managed identity for storage. Never rejects. */
export async function prefetchToken(storage: Settings["storage"], credential: TokenCredential) {
  if (storage.usesManagedIdentity) await credential.getToken(StorageOAuthScopes).catch(() => undefined);
}

/**
 * Returns a function that finds the token, which it keeps, and renews while it is valid. Callers share one request, and
 * a late result is kept, because ManagedIdentityCredential ignores the signal of a call, sends a request for each call,
 * and does not find its last token if the endpoint's `resource` ends in a slash (msal-node, BaseManagedIdentitySource:
 * it becomes the key of the cache).
 */
function shareToken(
  fetchToken: () => Promise<AccessToken>,
  onFailure: (error: unknown) => void,
): () => Promise<AccessToken> {
  let kept: AccessToken | undefined;
  let pending: Promise<AccessToken> | undefined;
  let requestedAt = 0;

  async function request(): Promise<AccessToken> {
    const keptBefore = kept;
    const requested = fetchToken()
      .then((token) => {
        kept = token;
        return token;
      })
      .catch((error: unknown) => {
        // A request that was replaced may fail after its replacement has succeeded.
        if (kept === keptBefore) onFailure(error);
        throw error;
      })
      .finally(() => {
        if (pending === requested) pending = undefined;
      });
    pending = requested;
    requestedAt = systemClock.now();
    return requested;
  }

  return async () => {
    const now = systemClock.now();
    // Also large after the clock was set back.
    const milliseconds = Math.abs(now - requestedAt);
    if (!kept || now >= kept.expiresOnTimestamp)
      return milliseconds < maxWaitMilliseconds && pending ? pending : request();
    const renewAt = kept.refreshAfterTimestamp ?? kept.expiresOnTimestamp - renewBeforeMilliseconds;
    // Callers see a failure when the token has ended; until then, each metrics run logs it.
    if (now >= renewAt && milliseconds >= betweenRenewalsMilliseconds) request().catch(() => undefined);
    return kept;
  };
}

async function loadCredential(storage: Settings["storage"]): Promise<TokenCredential> {
  const { DefaultAzureCredential, ManagedIdentityCredential } = await import("@azure/identity");
  if (!storage.usesManagedIdentity) return new DefaultAzureCredential();
  const { createDefaultHttpClient } = await import("@azure/core-rest-pipeline");
  const client = createDefaultHttpClient();
  const httpClient: HttpClient = {
    // The library has no timeout.
    sendRequest: async (request) => {
      request.abortSignal = AbortSignal.timeout(maxRequestMilliseconds);
      return client.sendRequest(request);
    },
  };
  // Three retries would take longer than callers wait, who would not see why they fail.
  const options = { httpClient, retryOptions: { maxRetries: 1 } };
  const { identityClientId } = storage;
  return identityClientId === undefined
    ? new ManagedIdentityCredential(options)
    : new ManagedIdentityCredential({ clientId: identityClientId, ...options });
}
