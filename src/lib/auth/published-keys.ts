/** Fetches the issuers and signing keys that the identity provider publishes for both token versions of a tenant. */
import axios from "axios";
import jwksRsa from "jwks-rsa";
import * as z from "zod";
import { isSafeAddress } from "../settings/addresses.ts";
import type { PublishedKeys } from "./signing-keys.ts";

const Metadata = z.object({ issuer: z.string().min(1), jwks_uri: z.string().refine(isSafeAddress) });
const timeoutMilliseconds = 5000;

/** Reads both metadata documents and every key set that they name. Throws an Error if one of them cannot be read. */
export async function fetchPublishedKeys(authority: string, tenantId: string): Promise<PublishedKeys> {
  const documents = await Promise.all(
    ["", "/v2.0"].map(async (version) => {
      const response = await axios.get<unknown>(
        `${authority}/${tenantId}${version}/.well-known/openid-configuration`,
        { signal: AbortSignal.timeout(timeoutMilliseconds), maxRedirects: 0, proxy: false },
      );
      return Metadata.parse(response.data);
    }),
  );
  const addresses = [...new Set(documents.map((document) => document.jwks_uri))];
  const sets = await Promise.all(
    addresses.map(async (jwksUri) =>
      // No cache here: createSigningKeys decides how long keys are kept.
      jwksRsa({ jwksUri, cache: false, timeout: timeoutMilliseconds }).getSigningKeys(),
    ),
  );
  return {
    issuers: [...new Set(documents.map((document) => document.issuer))],
    keys: new Map(sets.flat().map((key) => [key.kid, key.getPublicKey()])),
  };
}
