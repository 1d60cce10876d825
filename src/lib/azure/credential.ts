/** The app's identity in Azure. */
import type { TokenCredential } from "@azure/identity";
import type { Settings } from "../settings/settings.ts";

/**
 * Creates the one credential that all Azure clients share: the managed identity that the settings name, otherwise
 * the machine's own login. The identity library is loaded with the first token, because a deployment
 * with a connection string needs none. `getToken` throws if no token can be obtained.
 */
export function createCredential(storage: Settings["storage"]): TokenCredential {
  let credential: TokenCredential | undefined;
  return {
    async getToken(scopes, options) {
      credential ??= await loadCredential(storage);
      return credential.getToken(scopes, options);
    },
  };
}

async function loadCredential(storage: Settings["storage"]): Promise<TokenCredential> {
  const { DefaultAzureCredential, ManagedIdentityCredential } = await import("@azure/identity");
  if (!storage.usesManagedIdentity) return new DefaultAzureCredential();
  const { identityClientId } = storage;
  return identityClientId === undefined
    ? new ManagedIdentityCredential()
    : new ManagedIdentityCredential({ clientId: identityClientId });
}
