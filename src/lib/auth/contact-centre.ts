/** Checks the contact-centre token of an agent, and caches the verdict. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Clock } from "../ports.ts";
import {
  type ContactCentreRules,
  createUserRequest,
  type Judgement,
  unavailableSeconds,
} from "./contact-centre-user.ts";

/**
 * Resolves if the token belongs to an active agent of an authorized division. Throws `unauthenticated`, `forbidden` or
 * `contact-centre-unavailable`.
 */
export type ContactCentreCheck = (token: string | null, log: Log) => Promise<void>;

interface CachedVerdict {
  readonly verdict: Judgement["verdict"];
  /** Clock milliseconds until which the verdict is reused. */
  readonly until: number;
}

const maxTokens = 1000;
const maxParallelCalls = 4;
// The callers of any further calls would give up before these end.
const maxWaitingCalls = 40;
const usableToken = /^[A-Za-z0-9\-._~+/=]{1,4096}$/;
// A 401 must have a challenge. No registered scheme stands for a token in a header of its own, so the scheme is the
// header's name, which is a token as the syntax requires: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
const challenge = 'x-auth-token realm="vmr-gateway"';

/**
 * Creates the check. A verdict is cached by the token's hash for at most a minute. There is one request at a time per
 * token, and four in all.
 */
export function createContactCentreCheck(rules: ContactCentreRules, clock: Clock): ContactCentreCheck {
  const requestUser = createUserRequest(rules);
  const verdicts = new LRUCache<string, CachedVerdict>({ max: maxTokens });
  const pending = new Map<string, Promise<CachedVerdict>>();
  const slots = new PQueue({ concurrency: maxParallelCalls });

  async function verdictOf(token: string, log: Log): Promise<CachedVerdict> {
    const key = createHash("sha256").update(token).digest("base64");
    const known = verdicts.get(key);
    if (known && clock.now() < known.until) return known;
    if (!pending.has(key) && slots.size >= maxWaitingCalls) {
      log.warn("contact-centre-unavailable", { status: null, waiting: slots.size });
      return { verdict: "unavailable", until: clock.now() + unavailableSeconds * 1000 };
    }
    const requested = pending.get(key) ?? requestAndCache(key, token, log);
    pending.set(key, requested);
    return requested;
  }

  async function requestAndCache(key: string, token: string, log: Log): Promise<CachedVerdict> {
    try {
      const { verdict, validSeconds } = await slots.add(async () => requestUser(token, log));
      const cached = { verdict, until: clock.now() + validSeconds * 1000 };
      verdicts.set(key, cached);
      return cached;
    } finally {
      pending.delete(key);
    }
  }

  return async (token, log) => {
    if (token === null || !usableToken.test(token)) throw new GatewayError("unauthenticated", { challenge });
    throwUnlessAllowed(await verdictOf(token, log), clock);
  };
}

function throwUnlessAllowed({ verdict, until }: CachedVerdict, clock: Clock): void {
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
}
