/** The headers with which callers of the public endpoints authenticate. */
import { identities } from "../../local/gateway/identities.ts";

/** The header of an agent of the authorised division. */
export const asAgent = { "x-auth-token": identities.agentToken } as const;

/** The Authorization header of HTTP Basic; the event sink's right credentials unless others are given. */
export function asEventSink(
  username: string = identities.sinkUsername,
  password: string = identities.sinkPassword,
) {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}
