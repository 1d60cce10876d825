/** Asks the contact centre whose token this is, and judges the user. */
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import axios, { type AxiosResponse } from "axios";
import * as z from "zod";
import type { Log } from "../log.ts";

/** Which users are agents of this environment. */
export interface ContactCentreRules {
  /** API address of the region. */
  readonly url: string;
  readonly divisionIds: readonly string[];
}

/** What the contact centre's response says about a token, and for how long that may be reused. */
export interface Judgement {
  readonly verdict: "allowed" | "unauthenticated" | "forbidden" | "unavailable";
  readonly validSeconds: number;
}

// Each request counts against the agent's quota and resets their inactivity timer, hence the caching.
const judgedSeconds = 60;
const refusedSeconds = 10;
const maxPauseSeconds = 60;
const timeoutMilliseconds = 3000;

/** How long to leave the contact centre alone if it does not say so itself. */
export const unavailableSeconds = 5;

const CurrentUser = z.object({
  state: z.string().nullish(),
  division: z.object({ id: z.string() }).nullish(),
});

/** Creates a function that sends one request per call. It never throws: failures are logged and judged `unavailable`. */
export function createUserRequest({
  url,
  divisionIds,
}: ContactCentreRules): (token: string, log: Log) => Promise<Judgement> {
  const http = axios.create({
    baseURL: url,
    httpAgent: new HttpAgent({ keepAlive: true }),
    httpsAgent: new HttpsAgent({ keepAlive: true }),
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
  });
  return async (token, log) => {
    try {
      const response = await http.get<unknown>("/api/v2/users/me", {
        headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      return judgeResponse(response, divisionIds, log);
    } catch (cause) {
      log.warn("contact-centre-unavailable", { status: null }, cause);
      return { verdict: "unavailable", validSeconds: unavailableSeconds };
    }
  };
}

function judgeResponse(
  response: AxiosResponse<unknown>,
  divisionIds: readonly string[],
  log: Log,
): Judgement {
  const { status } = response;
  const verdict = status === 200 ? judgeUser(response.data, divisionIds) : undefined;
  if (verdict) return { verdict, validSeconds: judgedSeconds };
  if (status === 200 || status === 408 || status === 429 || status >= 500) {
    log.warn("contact-centre-unavailable", { status, correlationId: correlationIdOf(response) });
    return { verdict: "unavailable", validSeconds: pauseSeconds(response) };
  }
  return { verdict: "unauthenticated", validSeconds: refusedSeconds };
}

/** Returns undefined if the body is not a user. Inactive users and users of other divisions are forbidden. */
function judgeUser(body: unknown, divisionIds: readonly string[]): "allowed" | "forbidden" | undefined {
  const user = CurrentUser.safeParse(body);
  if (!user.success) return undefined;
  const { state, division } = user.data;
  if (typeof state === "string" && state !== "active") return "forbidden";
  return division && divisionIds.includes(division.id) ? "allowed" : "forbidden";
}

function pauseSeconds({ headers }: AxiosResponse<unknown>): number {
  const requested = Number(headers["retry-after"] ?? headers["inin-ratelimit-reset"]);
  return requested > 0 ? Math.min(Math.ceil(requested), maxPauseSeconds) : unavailableSeconds;
}

function correlationIdOf({ headers }: AxiosResponse<unknown>): string | null {
  const id: unknown = headers["inin-correlation-id"];
  return typeof id === "string" ? id : null;
}
