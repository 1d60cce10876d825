/** Says in plain words how a call to a dependency failed. */
import { GatewayError } from "../../src/lib/errors.ts";

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
  { code: /^ECONNREFUSED$/, words: "refuses the connection" },
  { code: /^(?:ENOTFOUND|EAI_AGAIN)$/, words: "its host is unknown" },
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
  if (status !== undefined) return describeStatus(status, method);
  if (networkCode === undefined) return "does not respond";
  const known = networkWords.find(({ code }) => code.test(networkCode));
  return `${known?.words ?? "does not respond"} (${networkCode})`;
}

function describeStatus(status: number, method: string | undefined): string {
  const call = method ?? "the call";
  if (status === 401) return "refuses the login (401)";
  if (status === 403) {
    const right = method === undefined ? undefined : rights[method];
    return right === undefined ? "refuses access (403)" : `refuses ${method} (403): ${right}`;
  }
  if (status === 429) return "throttles (429)";
  if (status >= 500) return `fails at ${call} (${status})`;
  return status < 400
    ? `redirects (${status}): its URL or the login is wrong`
    : `rejects ${call} (${status})`;
}

interface FailureFields {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly code?: unknown;
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
    const { status, statusCode, code, name }: Error & FailureFields = cause;
    const given = [statusCode, status].find((value) => typeof value === "number");
    const text = name === "TimeoutError" || name === "AbortError" ? "ETIMEDOUT" : code;
    failure = {
      ...failure,
      status: failure.status ?? given,
      // The innermost code is that of the network layer.
      networkCode: typeof text === "string" && /^[A-Z_]+$/.test(text) ? text : failure.networkCode,
    };
  }
  return failure;
}
