/** Fetches a bearer token as a consumer of the gateway does: by client credentials. */
import { clientCredentials } from "../../../client/src/tokens.ts";
import { consumer } from "../../simulators/identities.ts";

const timeoutMilliseconds = 30_000;

/** Returns a token that is valid for about an hour. Throws if the issuer refuses. */
export async function fetchAccessToken(tokenUrl: string): Promise<string> {
  const getToken = clientCredentials({ ...consumer, tokenUrl });
  return (await getToken({ signal: AbortSignal.timeout(timeoutMilliseconds) })).accessToken;
}
