/** Says in plain words how a call to a dependency failed. */
import { GatewayError } from "../../src/lib/errors.ts";
import { parseJson } from "../../src/lib/json.ts";

/** A call without a usable response: what is known about it. */
export interface CallFailure {
  readonly method?: string | undefined;
  readonly status?: number | undefined;
  /** The code of the network layer, such as `ECONNREFUSED`. */
  readonly networkCode?: string | undefined;
}

const rights: Readonly<Record<string, string>> = {
  GET: "the account may not read",
  POST: "the account may not create",
  PATCH: "the account may read but not change",
  DELETE: "the account may not delete",
};

/** The first row whose expression matches the code of the network layer says what happens. */
const networkWords = [
  { code: /^NOT_FROM_/, words: "something in between responds in its place" },
  { code: /^ECONNREFUSED$/, words: "refuses the connection" },
  { code: /^(?:ENOTFOUND|EAI_AGAIN)$/, words: "its host is unknown" },
  { code: /^LOOKUP_TIMEOUT$/, words: "the look-up of its name does not end" },
  { code: /^(?:EHOSTUNREACH|ENETUNREACH)$/, words: "the network has no route to it" },
  { code: /EXPIRED/, words: "its certificate or its authority's has expired" },
  { code: /ALTNAME/, words: "its certificate is for another host" },
  { code: /SELF_SIGNED|UNABLE_TO/, words: "no authority known here has signed its certificate" },
  { code: /CERT/, words: "its certificate is not trusted" },
  { code: /TIMEDOUT|TIMEOUT|ABORT/i, words: "does not respond in time" },
  { code: /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, words: "closes the connection" },
];

/** Returns what a dependency does instead of its work, for example `refuses the login (401)`. */
export function describeCall({ method, status, networkCode }: CallFailure): string {
  const isForeign = networkCode?.startsWith("NOT_FROM_") && status !== 401 && !isRedirect(status);
  if (isForeign && status !== undefined)
    return `something in between responds to ${method ?? "the call"} in its place (${status})`;
  if (status !== undefined) return describeStatus(status, method);
  if (networkCode === undefined) return "does not respond";
  const known = networkWords.find(({ code }) => code.test(networkCode));
  return `${known?.words ?? "does not respond"} (${networkCode})`;
}

const isRedirect = (status = 0) => status >= 300 && status < 400;

function describeStatus(status: number, method: string | undefined): string {
  const call = method ?? "the call";
  if (status === 401) return "refuses the login (401)";
  if (status === 403) {
    const right = method === undefined ? undefined : rights[method];
    return right === undefined ? "refuses access (403)" : `refuses ${method} (403): ${right}`;
  }
  if (status === 429) return "throttles (429)";
  if (status >= 500) return `fails at ${call} (${status})`;
  if (isRedirect(status))
    return `redirects (${status}): its URL or the login is wrong, or something in between does it`;
  return status < 300
    ? `does not respond to ${call} as documented (${status})`
    : `rejects ${call} (${status})`;
}

interface FailureFields {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly code?: unknown;
  readonly response?: { readonly data?: unknown };
}

/** Returns a code for a refusal that is a page, which no dependency sends, and undefined for any other body. */
export function foreignCode(body: unknown): string | undefined {
  const isPage = typeof body === "string" && body !== "" && parseJson(body) === undefined;
  return isPage ? "NOT_FROM_IT" : undefined;
}

/** Returns what is known about a failed call from the error of fetch, axios, an Azure SDK or the gateway's clients. */
export function failureOf(error: unknown): CallFailure {
  let failure: CallFailure = {};
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof GatewayError) {
      const { platformMethod, platformStatus, platformError } = cause.details.failedCall ?? {};
      failure = { method: platformMethod, status: platformStatus, networkCode: platformError };
      continue;
    }
    const { status, statusCode, code, name, response }: Error & FailureFields = cause;
    const given = [statusCode, status].find((value) => typeof value === "number");
    const isTimeout = name === "TimeoutError" || name === "AbortError";
    const text = isTimeout ? "ETIMEDOUT" : (foreignCode(response?.data) ?? code);
    failure = {
      ...failure,
      status: failure.status ?? given,
      // The innermost code is that of the network layer.
      networkCode: typeof text === "string" && /^[A-Z_]+$/.test(text) ? text : failure.networkCode,
    };
  }
  return failure;
}
