/** Checks the contact-centre token of an agent by asking the contact centre whose token it is. */
import { createHash } from "node:crypto";
import type { AxiosResponse } from "axios";
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import * as z from "zod";
import { GatewayError } from "../errors.ts";
import { createHttpClient } from "../http-client.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../ports.ts";

export interface ContactCentreRules {
  /** API URL of the region. */
  readonly url: string;
  readonly divisionIds: readonly string[];
}

/**
 * Resolves if the token belongs to an active agent of an authorised division. Throws `unauthenticated`, `forbidden` or
 * `contact-centre-unavailable`.
 */
export type ContactCentreCheck = (token: string | null, log: Log) => Promise<void>;

/** The contact centre's verdict on a token, or that there is none. */
interface TokenCheck {
  readonly verdict: "allowed" | "unauthenticated" | "forbidden" | "unavailable";
  /** In clock milliseconds. */
  readonly checkedAt: number;
  /** The contact centre's status, if it refused the token. */
  readonly status?: number;
  /** How long the verdict is reused. */
  readonly reusedSeconds: number;
}

const maxTokens = 1000;
const maxParallelCalls = 4;
// Callers beyond these would give up before their turn.
const maxWaitingCalls = 40;
const usableToken = /^[A-Za-z0-9\-._~+/=]{1,4096}$/;
// A 401 must have a challenge. No registered scheme means a token in a separate header, so the scheme is the header's
// name: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
const challenge = 'x-auth-token realm="vmr-gateway"';

// Each request counts against the agent's quota and resets their inactivity timer, hence the caching.
const checkedSeconds = 60;
const unauthenticatedSeconds = 10;
const unavailableSeconds = 5;
const maxPauseSeconds = 60;
const timeoutMilliseconds = 3000;

const priorities = { knownAgent: 1, unknownToken: 0 } as const;

/**
 * Creates the check. A verdict is cached by the token's hash for at most a minute. There is one request at a time per
 * token, and four in all. Tokens that were accepted before go first, and only unknown tokens are refused if too many
 * checks wait, so invented tokens never lock out a known agent. After two calls in a row without a response, all agents
 * without a verdict are refused for 5 s.
 */
export function createContactCentreCheck(
  { url, divisionIds }: ContactCentreRules,
  clock: Clock,
): ContactCentreCheck {
  const http = createHttpClient(url);
  const verdicts = new LRUCache<string, TokenCheck>({ max: maxTokens });
  // A separate map, because invented tokens must not displace agents. Expired verdicts stay: they show which tokens are
  // known.
  const agents = new LRUCache<string, TokenCheck>({ max: maxTokens });
  const pending = new Map<string, Promise<TokenCheck>>();
  const slots = new PQueue({ concurrency: maxParallelCalls });
  /** The newest calls without a response since the last response, at most two. */
  let silences: readonly TokenCheck[] = [];

  const lasting = (verdict: TokenCheck["verdict"], reusedSeconds: number): TokenCheck => ({
    verdict,
    checkedAt: clock.now(),
    reusedSeconds,
  });

  /** Returns how long the verdict is still reused. A clock that is set back ends it. */
  function secondsLeft({ checkedAt, reusedSeconds }: TokenCheck): number {
    const ageSeconds = (clock.now() - checkedAt) / 1000;
    return ageSeconds < 0 ? 0 : reusedSeconds - ageSeconds;
  }

  async function verdictOf(token: string, log: Log): Promise<TokenCheck> {
    const key = createHash("sha256").update(token).digest("base64");
    const known = [agents.get(key), verdicts.get(key)].find((cached) => cached && secondsLeft(cached) > 0);
    if (known) return known;
    const priority = agents.has(key) ? priorities.knownAgent : priorities.unknownToken;
    const waiting = slots.sizeBy({ priority });
    if (!pending.has(key) && priority === priorities.unknownToken && waiting >= maxWaitingCalls) {
      log.warn("contact-centre-unavailable", { status: null, waiting });
      return lasting("unavailable", unavailableSeconds);
    }
    const check = async () => requestAndCache(key, token, log);
    // Removed here, because a free slot runs the check at once: it may end before its promise is in the map.
    const requested = pending.get(key) ?? slots.add(check, { priority }).finally(() => pending.delete(key));
    pending.set(key, requested);
    return requested;
  }

  async function requestAndCache(key: string, token: string, log: Log): Promise<TokenCheck> {
    // Others would wait for their turn, and then for a response that does not come.
    const silence = silences[1];
    const isSilent = silence && secondsLeft(silence) > 0;
    const check = isSilent ? silence : await fetchCurrentUser(token, log);
    (check.verdict === "allowed" ? agents : verdicts).set(key, check);
    return check;
  }

  /** Sends one request. It never throws: failures are logged and `unavailable`. */
  async function fetchCurrentUser(token: string, log: Log): Promise<TokenCheck> {
    try {
      const response = await http.get<unknown>("/api/v2/users/me", {
        headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      silences = [];
      const { status, data, headers } = response;
      const verdict = status === 200 ? authorize(data, divisionIds) : undefined;
      if (verdict) return lasting(verdict, checkedSeconds);
      if (isRefusal(response)) return { ...lasting("unauthenticated", unauthenticatedSeconds), status };
      const id: unknown = headers["inin-correlation-id"];
      const contactCentreCorrelationId = typeof id === "string" ? id : null;
      log.warn("contact-centre-unavailable", { status, contactCentreCorrelationId });
      return lasting("unavailable", pauseSeconds(response));
    } catch (cause) {
      log.warn("contact-centre-unavailable", { status: null }, cause);
      const silence = lasting("unavailable", unavailableSeconds);
      silences = [...silences, silence].slice(-2);
      return silence;
    }
  }

  return async (token, log) => {
    if (token === null || !usableToken.test(token)) {
      const hint = token?.startsWith("Bearer ") ? ', error_description="Send the token without Bearer."' : "";
      const reason = token ? "malformed" : "no-token";
      throw new GatewayError("unauthenticated", { challenge: `${challenge}${hint}`, reason });
    }
    const check = await verdictOf(token, log);
    const { verdict, status } = check;
    if (verdict === "forbidden") throw new GatewayError("forbidden", { reason: "user" });
    if (verdict === "unauthenticated") {
      const reason = "refused-by-contact-centre";
      throw new GatewayError("unauthenticated", {
        challenge,
        reason,
        failedCall: { contactCentreStatus: status },
      });
    }
    if (verdict === "unavailable") {
      const retryAfterSeconds = Math.max(1, Math.ceil(secondsLeft(check)));
      throw new GatewayError("contact-centre-unavailable", { retryAfterSeconds });
    }
  };
}

const CurrentUser = z.object({
  state: z.string().nullish(),
  division: z.object({ id: z.string() }).nullish(),
});

/** Returns undefined if the body is not a user. Inactive users and users of other divisions are forbidden. */
function authorize(body: unknown, divisionIds: readonly string[]): "allowed" | "forbidden" | undefined {
  const user = CurrentUser.safeParse(body);
  if (!user.success) return undefined;
  const { state, division } = user.data;
  if (typeof state === "string" && state !== "active") return "forbidden";
  return division && divisionIds.includes(division.id) ? "allowed" : "forbidden";
}

/** The contact centre's errors (https://developer.genesys.cloud/platform/api/error-responses): type `ErrorBody`. */
const ErrorBody = z.object({ code: z.string(), status: z.int() });

/** Returns whether the contact centre itself refuses the token. Pages and redirects come from something in between. */
function isRefusal({ status, data }: AxiosResponse<unknown>): boolean {
  if (status === 401) return true;
  return [400, 403, 404].includes(status) && ErrorBody.safeParse(data).data?.status === status;
}

function pauseSeconds({ headers }: AxiosResponse<unknown>): number {
  const requested = Number(headers["retry-after"] ?? headers["inin-ratelimit-reset"]);
  return requested > 0 ? Math.min(Math.ceil(requested), maxPauseSeconds) : unavailableSeconds;
}
