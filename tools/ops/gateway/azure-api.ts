/** Calls Azure's management and log APIs as the signed-in operator. */
import type { TokenCredential } from "@azure/identity";
import * as z from "zod";
import { isLoopback } from "../../../src/lib/settings/formats.ts";
import { firstLine, UnreachableError } from "../outcomes.ts";

/** What a request reads, for messages. */
interface Subject {
  /** "the settings of the app". */
  readonly subject: string;
  /** The role that allows it. */
  readonly role: string;
}

/** Calls a path below the endpoint: with GET, or with POST if there is a body. */
export type AzureApi = <Value>(
  path: string,
  schema: z.ZodType<Value>,
  subject: Subject,
  body?: object,
) => Promise<Value>;

const timeoutMilliseconds = 30_000;

/** An error of Azure's APIs, or one of its details. */
export const azureErrorSchema = z.object({
  message: z.string().default(""),
  innererror: z.object({ message: z.string().default(""), severityName: z.string().optional() }).optional(),
});

/** Returns why, in one line: the inner error says more than the outer one. */
export function reasonOf({ message, innererror }: z.output<typeof azureErrorSchema>): string {
  return firstLine(innererror?.message || message);
}

/**
 * Creates the API at an endpoint. A loopback endpoint is called without a token. A call throws UnreachableError if it
 * gets no usable response; the message says what to do.
 */
export function createAzureApi(endpoint: string, credential: TokenCredential): AzureApi {
  return async (path, schema, { subject, role }, body) => {
    const token = isLoopback(endpoint) ? "" : await tokenFor(`${endpoint}/.default`, credential);
    const response = await fetch(`${endpoint}${path}`, {
      method: body === undefined ? "GET" : "POST",
      signal: AbortSignal.timeout(timeoutMilliseconds),
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    if (response === undefined)
      throw new UnreachableError(`Azure does not respond, so ${subject} cannot be read: ${endpoint}`);
    const { status } = response;
    const content: unknown = await response.json().catch(() => undefined);
    const refusal = z.object({ error: azureErrorSchema }).safeParse(content).data;
    const reason = refusal && reasonOf(refusal.error);
    const because = reason ? ` Azure says: ${reason}` : "";
    if (status === 401 || status === 403)
      throw new UnreachableError(
        `You may not read ${subject} (${status}). You need the role ${role}: docs/security.md, The operator's role.${because}`,
      );
    if (status === 404)
      throw new UnreachableError(
        `Azure does not find ${subject}. Check the names and the subscription.${because}`,
      );
    if (!response.ok) throw new UnreachableError(`Azure returned ${status} for ${subject}.${because}`);
    const parsed = schema.safeParse(content);
    if (!parsed.success) throw new UnreachableError(`Azure returned an unexpected response for ${subject}.`);
    return parsed.data;
  };
}

/** Returns a token for a scope. Throws UnreachableError if nobody is signed in. */
export async function tokenFor(scope: string, credential: TokenCredential): Promise<string> {
  let reason = "";
  const token = await credential.getToken(scope).catch((error: unknown) => {
    reason = firstLine(error);
  });
  if (token) return token.token;
  // What AzureCliCredential says if `az` is missing or logged out.
  const isKnown = /^Azure CLI could not be found|^Please run 'az login'/.test(reason);
  throw new UnreachableError(
    `The Azure CLI gives no token for ${scope}: install it, and run \`az login\`, or \`az login --identity\` to use the ` +
      `identity of this machine${isKnown || reason === "" ? "" : ` (${reason})`}.`,
  );
}
