// Fetches a bearer token as a consumer of the gateway does.
import { z } from "zod";
import type { Connection } from "./connection.ts";

const grantSchema = z.object({ access_token: z.string() });

/** The form of a client-credentials request. */
export function tokenForm({ clientId, clientSecret }: Connection): Record<string, string> {
  return {
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
    scope: `api://${clientId}/.default`,
  };
}

/** A token that is valid for about an hour. Throws when the issuer gives none. */
export async function fetchAccessToken(connection: Connection): Promise<string> {
  const response = await fetch(connection.tokenUrl, {
    method: "POST",
    body: new URLSearchParams(tokenForm(connection)),
  });
  if (!response.ok) throw new Error(`The token issuer answered ${response.status}.`);
  return grantSchema.parse(await response.json()).access_token;
}
