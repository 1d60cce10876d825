/** Who calls the public room endpoint: asks the contact centre whose token this is and in which division they are. */
import { createHash } from "node:crypto";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import axios, { type AxiosResponse } from "axios";
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";

export interface ContactCentreRules {
  /** API address of the region. */
  readonly url: string;
  readonly divisionIds: readonly string[];
}

/** Resolves for an agent of an authorised division. Throws `unauthenticated`, `forbidden`, `contact-centre-unavailable`. */
export type ContactCentreCheck = (token: string | null, log: Log) => Promise<void>;

type Verdict = "allowed" | "unauthenticated" | "forbidden" | "unavailable";
interface Answer {
  readonly verdict: Verdict;
  /** Clock milliseconds until which the verdict is used without asking again. */
  readonly until: number;
}

// Each question spends the agent's own request quota and resets their inactivity timer, hence the cache.
const judgedSeconds = 60;
const refusedSeconds = 10;
const unavailableSeconds = 5;
const maxPauseSeconds = 60;
const timeoutMilliseconds = 3000;
const maxTokens = 1000;
const parallelCalls = 4;
// More than wait here would not be answered before their callers give up.
const maxWaitingCalls = 40;
const usableToken = /^[A-Za-z0-9\-._~+/=]{1,4096}$/;
const challenge = 'Bearer realm="vmr-gateway"';

const CurrentUser = z.object({
  state: z.string().nullish(),
  division: z.object({ id: z.string() }).nullish(),
});

/** A verdict is kept by the token's hash for a minute at most; one question at a time for a token, four in all. */
export function createContactCentreCheck(rules: ContactCentreRules, clock: Clock): ContactCentreCheck {
  const answers = new LRUCache<string, Answer>({ max: maxTokens });
  const pending = new Map<string, Promise<Answer>>();
  const slots = new PQueue({ concurrency: parallelCalls });
  const http = axios.create({
    baseURL: rules.url,
    httpAgent: new HttpAgent({ keepAlive: true }),
    httpsAgent: new HttpsAgent({ keepAlive: true }),
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
  });

  async function ask(token: string, log: Log): Promise<Answer> {
    const until = (seconds: number) => clock.now() + seconds * 1000;
    try {
      const response = await http.get<unknown>("/api/v2/users/me", {
        headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      const { status } = response;
      const verdict = status === 200 ? judge(response.data, rules) : undefined;
      if (verdict) return { verdict, until: until(judgedSeconds) };
      if (status === 200 || status === 429 || status >= 500 || status === 408) {
        log.warn("contact-centre-unavailable", { status, correlationId: correlationIdOf(response) });
        return { verdict: "unavailable", until: until(pauseSeconds(response)) };
      }
      return { verdict: "unauthenticated", until: until(refusedSeconds) };
    } catch (cause) {
      log.warn("contact-centre-unavailable", { status: null }, cause);
      return { verdict: "unavailable", until: until(unavailableSeconds) };
    }
  }

  async function answerFor(token: string, log: Log): Promise<Answer> {
    const key = createHash("sha256").update(token).digest("base64");
    const known = answers.get(key);
    if (known && clock.now() < known.until) return known;
    if (!pending.has(key) && slots.size >= maxWaitingCalls) {
      log.warn("contact-centre-unavailable", { status: null, waiting: slots.size });
      return { verdict: "unavailable", until: clock.now() + unavailableSeconds * 1000 };
    }
    const asked = pending.get(key) ?? askAndKeep(key, token, log);
    pending.set(key, asked);
    return asked;
  }

  async function askAndKeep(key: string, token: string, log: Log): Promise<Answer> {
    try {
      const answer = await slots.add(async () => ask(token, log));
      answers.set(key, answer);
      return answer;
    } finally {
      pending.delete(key);
    }
  }

  return async (token, log) => {
    if (token === null || !usableToken.test(token)) throw new GatewayError("unauthenticated", { challenge });
    const { verdict, until } = await answerFor(token, log);
    switch (verdict) {
      case "allowed":
        return;
      case "unavailable": {
        const retryAfterSeconds = Math.max(1, Math.ceil((until - clock.now()) / 1000));
        throw new GatewayError("contact-centre-unavailable", { retryAfterSeconds });
      }
      case "forbidden":
        throw new GatewayError("forbidden");
      case "unauthenticated":
        throw new GatewayError("unauthenticated", { challenge });
    }
  };
}

/** Undefined when the answer is not a user. Who is inactive or of another division is known, but may not. */
function judge(body: unknown, { divisionIds }: ContactCentreRules): Verdict | undefined {
  const user = CurrentUser.safeParse(body);
  if (!user.success) return undefined;
  const { state, division } = user.data;
  if (typeof state === "string" && state !== "active") return "forbidden";
  return division && divisionIds.includes(division.id) ? "allowed" : "forbidden";
}

function pauseSeconds({ headers }: AxiosResponse<unknown>): number {
  const asked = Number(headers["retry-after"] ?? headers["inin-ratelimit-reset"]);
  return asked > 0 ? Math.min(Math.ceil(asked), maxPauseSeconds) : unavailableSeconds;
}

function correlationIdOf({ headers }: AxiosResponse<unknown>): string | null {
  const id: unknown = headers["inin-correlation-id"];
  return typeof id === "string" ? id : null;
}
