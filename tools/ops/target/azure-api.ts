/** Calls Azure's management and log APIs as the signed-in operator. */
import type { TokenCredential } from "@azure/identity";
import * as z from "zod";
import { isLoopback } from "../../../src/lib/settings/formats.ts";
import { UnreachableError } from "../outcomes.ts";

interface AzureRequest<Value> {
  readonly method: "GET" | "POST";
  /** Below the endpoint, with its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly schema: z.ZodType<Value>;
  /** What the request reads, for messages: "the settings of the app". */
  readonly subject: string;
  /** The role that allows it. */
  readonly role: string;
}

export type AzureApi = <Value>(request: AzureRequest<Value>) => Promise<Value>;

const timeoutMilliseconds = 30_000;

/**
 * Creates the API at an endpoint. A loopback endpoint is called without a token. A call throws UnreachableError if it
 * gets no usable response; the message says what to do.
 */
export function createAzureApi(endpoint: string, credential: TokenCredential): AzureApi {
  return async ({ method, path, body, schema, subject, role }) => {
    const token = isLoopback(endpoint) ? undefined : await tokenFor(`${endpoint}/.default`, credential);
    const response = await fetch(`${endpoint}${path}`, {
      method,
      signal: AbortSignal.timeout(timeoutMilliseconds),
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(method === "POST" && { body: JSON.stringify(body ?? {}) }),
    }).catch(() => undefined);
    if (response === undefined)
      throw new UnreachableError(`Azure does not respond, so ${subject} cannot be read: ${endpoint}`);
    if (response.status === 401 || response.status === 403)
      throw new UnreachableError(
        `You may not read ${subject} (${response.status}). You need the role ${role}: docs/security.md, The operator's role.`,
      );
    if (response.status === 404)
      throw new UnreachableError(`Azure does not find ${subject}. Check the names and the subscription.`);
    if (!response.ok) throw new UnreachableError(`Azure returned ${response.status} for ${subject}.`);
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (!parsed.success) throw new UnreachableError(`Azure returned an unexpected response for ${subject}.`);
    return parsed.data;
  };
}

/** Returns a token for a scope. Throws UnreachableError if nobody is signed in. */
export async function tokenFor(scope: string, credential: TokenCredential): Promise<string> {
  try {
    const token = await credential.getToken(scope);
    if (token) return token.token;
  } catch (error) {
    const [reason = ""] = error instanceof Error ? error.message.split("\n") : [];
    throw new UnreachableError(`Azure gives no token for ${scope}. Run \`az login\` first. (${reason})`, {
      cause: error,
    });
  }
  throw new UnreachableError(`Azure gives no token for ${scope}. Run \`az login\` first.`);
}
