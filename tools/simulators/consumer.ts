/** What a consumer sends: a token request by client credentials, and service tags. */
import * as z from "zod";
import { identities } from "./identities.ts";

const timeoutMilliseconds = 30_000;
const grantSchema = z.object({ access_token: z.string() });

/** The form of the token request. */
const tokenRequest = {
  grant_type: "client_credentials",
  client_id: identities.clientId,
  client_secret: identities.clientSecret,
  scope: `api://${identities.clientId}/.default`,
};

/** Returns a token that is valid for about an hour. Throws if the issuer refuses. */
export async function fetchAccessToken(tokenUrl: string): Promise<string> {
  const body = new URLSearchParams(tokenRequest);
  const response = await fetch(tokenUrl, {
    method: "POST",
    body,
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  return grantSchema.parse(await response.json()).access_token;
}

/** Returns the line of a shell that gets a token from the issuer, and sets TOKEN. */
export function tokenLine(tokenUrl: string): string {
  const fields = Object.entries(tokenRequest).map(([name, value]) => `-d ${name}=${value}`);
  return `TOKEN=$(curl -s ${fields.join(" ")} ${tokenUrl} | sed -n 's/.*"access_token":"\\([^"]*\\).*/\\1/p')`;
}

/** Returns the `uuiData` of a service tag. */
export function encodeServiceTag(tag: string): string {
  return `${Buffer.from(tag).toString("hex")};encoding=hex`;
}
