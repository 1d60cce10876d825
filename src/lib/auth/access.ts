/** Checks who may call a function: by bearer token, contact-centre token or HTTP Basic. */
import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { BearerCheck } from "./bearer.ts";
import type { ContactCentreCheck } from "./contact-centre.ts";

/** The caller of a request, as the access check found it. `id` is the client ID of an allowed application. */
export type Caller =
  | { readonly kind: "application"; readonly id: string }
  | { readonly kind: "agent" }
  | { readonly kind: "event-sink"; readonly credentials: "current" | "previous" }
  | { readonly kind: "anyone" };

/**
 * Who may call: `application` by bearer token, `agent` by contact-centre token, `event-sink` by HTTP Basic, or
 * `anyone`. There is no default, so no function can forget to state it.
 */
export type Access = Caller["kind"];

/** Returns the caller. Throws GatewayError if the caller is not allowed or cannot be checked. */
type AccessCheck = (headers: Pick<Headers, "get">, log: Log, needsAdministrator?: boolean) => Promise<Caller>;

export type AccessChecks = Readonly<Record<Access, AccessCheck>>;

/** One accepted pair of HTTP Basic credentials. */
interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** The credentials that requests are compared with. */
interface AccessRules {
  readonly checkBearer: BearerCheck;
  readonly checkAgent: ContactCentreCheck;
  /** The first pair is the current one, the others are previous ones. */
  readonly eventSink: readonly BasicCredentials[];
}

/** Creates the checks. */
export function createAccessChecks(rules: AccessRules): AccessChecks {
  const checkBasic = createBasicCheck(rules.eventSink);
  return {
    application: async (headers, log, needsAdministrator) => ({
      kind: "application",
      id: await rules.checkBearer(headers.get("authorization"), log, needsAdministrator),
    }),
    agent: async (headers, log) => {
      await rules.checkAgent(headers.get("x-auth-token"), log);
      return { kind: "agent" };
    },
    "event-sink": async (headers) => ({
      kind: "event-sink",
      credentials: checkBasic(headers.get("authorization")),
    }),
    anyone: async () => ({ kind: "anyone" }),
  };
}

/**
 * Creates a check that returns which of these pairs the header contains, and throws `unauthenticated` if it contains
 * none. It compares every pair, even after a match, so its duration does not depend on which pair matches. The log's
 * reason is `password` if only the password differs: an accepted node is configured wrongly. Anyone can cause the
 * others.
 */
function createBasicCheck(
  accepted: readonly BasicCredentials[],
): (authorization: string | null) => "current" | "previous" {
  const hashes = accepted.map(({ username, password }) => hashOfSecret(`${username}:${password}`));
  const names = accepted.map(({ username }) => hashOfSecret(username));
  return (authorization) => {
    const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? "")?.[1] ?? "";
    const pair = Buffer.from(encoded, "base64").toString("utf8");
    const given = hashOfSecret(pair);
    const index = hashes.map((expected) => timingSafeEqual(expected, given)).indexOf(true);
    if (index === -1) {
      const challenge = 'Basic realm="vmr-gateway", charset="UTF-8"';
      const name = hashOfSecret(pair.slice(0, Math.max(0, pair.indexOf(":"))));
      const isKnownName = names.map((expected) => timingSafeEqual(expected, name)).includes(true);
      throw new GatewayError("unauthenticated", {
        challenge,
        reason: isKnownName ? "password" : "credentials",
      });
    }
    return index === 0 ? "current" : "previous";
  };
}

/** Returns a hash to compare instead of the secret: all have one length, so a comparison reveals nothing about it. */
function hashOfSecret(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
