/** Fetches a bearer token as a consumer of the gateway does: by client credentials. */
import * as z from "zod";
import { identities } from "./identities.ts";

const grantSchema = z.object({ access_token: z.string() });

/** The form of the token request. */
export const tokenForm = {
  grant_type: "client_credentials",
  client_id: identities.clientId,
  client_secret: identities.clientSecret,
  scope: `api://${identities.clientId}/.default`,
} as const;

/** Returns a token that is valid for about an hour. Throws if the issuer refuses. */
export async function fetchAccessToken(tokenUrl: string): Promise<string> {
  const response = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(tokenForm) });
  if (!response.ok) throw new Error(`the token issuer returned ${response.status}`);
  return grantSchema.parse(await response.json()).access_token;
}
