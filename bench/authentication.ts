/** What checking a caller costs when everything is warm: a bearer token, and a contact-centre token from the cache. */
import { verify } from "node:crypto";
import { startDevelopmentStack } from "../local/gateway/development-stack.ts";
import { identities } from "../local/gateway/identities.ts";
import { createBearerCheck } from "../src/lib/auth/bearer.ts";
import { createContactCentreCheck } from "../src/lib/auth/contact-centre.ts";
import { fetchPublishedKeys } from "../src/lib/auth/published-keys.ts";
import { createSigningKeys } from "../src/lib/auth/signing-keys.ts";
import { systemClock } from "../src/lib/clock.ts";
import type { Log } from "../src/lib/log.ts";
import type { Result } from "./results.ts";
import { round, summarise } from "./statistics.ts";

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const rounds = 5000;

/** In this process, against the stubs; the floor of a bearer check is one RS256 verification by node:crypto. */
export async function measureAuthentication(): Promise<Result[]> {
  const stack = await startDevelopmentStack();
  try {
    const { tenantId, clientId, divisionId, agentToken } = identities;
    const rules = { tenantId, audiences: [`api://${clientId}`], clientIds: [clientId] };
    const fetchKeys = async () => fetchPublishedKeys(stack.issuer.url, tenantId);
    const checkBearer = createBearerCheck(rules, createSigningKeys(fetchKeys, systemClock));
    const token = stack.issuer.issueToken(clientId);
    const bearer = await microseconds(async () => checkBearer(`Bearer ${token}`, log));

    const { keys } = await fetchKeys();
    const [header = "", payload = "", signature = ""] = token.split(".");
    const key = [...keys.values()][0] ?? "";
    const signed = Buffer.from(`${header}.${payload}`);
    const bytes = Buffer.from(signature, "base64url");
    const floor = await microseconds(async () => void verify("RSA-SHA256", signed, key, bytes));

    const contactCentre = { url: stack.contactCentre.url, divisionIds: [divisionId] };
    const checkAgent = createContactCentreCheck(contactCentre, systemClock);
    const agent = await microseconds(async () => checkAgent(agentToken, log));
    return [
      {
        what: "authentication with warm keys and cache",
        figures: {
          bearerMicroseconds: bearer,
          bareRs256Microseconds: floor,
          ratio: round(bearer / floor),
          contactCentreCacheHitMicroseconds: agent,
          contactCentreCalls: stack.contactCentre.callCount(),
        },
        target: "µs per bearer verification with warm keys; contact-centre cache hit",
      },
    ];
  } finally {
    await stack.stop();
  }
}

async function microseconds(task: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < rounds; index++) {
    const startedAt = performance.now();
    await task();
    if (index >= rounds / 5) times.push((performance.now() - startedAt) * 1000);
  }
  return summarise(times).p50;
}
