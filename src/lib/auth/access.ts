/** Who may call a function, and how that is checked. */
import { createHash, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { BearerCheck } from "./bearer.ts";
import type { ContactCentreCheck } from "./contact-centre.ts";

/**
 * Who may call: `application` by bearer token, `agent` by contact-centre token, `event-sink` by HTTP Basic, or `anyone`.
 * There is no default, so no function can forget to state it.
 */
export type Access = "application" | "agent" | "event-sink" | "anyone";

/** The caller of a request, as the access check found it. `id` is the client ID of an allowed application. */
export type Caller =
  | { readonly kind: "application"; readonly id: string }
  | { readonly kind: "agent" }
  | { readonly kind: "event-sink"; readonly credentials: "current" | "previous" }
  | { readonly kind: "anyone" };

/** The check for one kind of access. Returns the caller. Rejects with a GatewayError if the caller has no access. */
type AccessCheck = (headers: Pick<Headers, "get">, log: Log) => Promise<Caller>;

/** One check for each kind of access. */
export type AccessChecks = Readonly<Record<Access, AccessCheck>>;

/** One accepted pair of HTTP Basic credentials. */
interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** What the checks compare a request with. */
interface AccessRules {
  /** Known to API Management only. Without it, requests need not come through API Management. */
  readonly apiManagementSecret: string | undefined;
  readonly checkBearer: BearerCheck;
  readonly checkAgent: ContactCentreCheck;
  /** The first pair is the current one, the others are previous ones. */
  readonly eventSink: readonly BasicCredentials[];
}

/**
 * Creates one check per kind of access: a bearer token for `application`, the contact centre's token in
 * `X-Auth-Token` for `agent`, HTTP Basic for `event-sink`, nothing for `anyone`. All but `anyone` also require the secret
 * of API Management if one is set. A check returns the caller, and throws GatewayError if the caller is refused or cannot
 * be checked.
 */
export function createAccessChecks(rules: AccessRules): AccessChecks {
  const requireApiManagement = createApiManagementCheck(rules.apiManagementSecret);
  const checkBasic = createBasicCheck(rules.eventSink);
  return {
    application: async (headers, log) => {
      requireApiManagement(headers);
      return { kind: "application", id: await rules.checkBearer(headers.get("authorization"), log) };
    },
    agent: async (headers, log) => {
      requireApiManagement(headers);
      await rules.checkAgent(headers.get("x-auth-token"), log);
      return { kind: "agent" };
    },
    "event-sink": async (headers) => {
      requireApiManagement(headers);
      return { kind: "event-sink", credentials: checkBasic(headers.get("authorization")) };
    },
    anyone: async () => ({ kind: "anyone" }),
  };
}

/** Creates a check that throws `forbidden` unless the request carries the secret, or no secret is set. */
function createApiManagementCheck(secret: string | undefined): (headers: Pick<Headers, "get">) => void {
  if (secret === undefined) return () => undefined;
  const expected = hashOfSecret(secret);
  return (headers) => {
    if (!timingSafeEqual(expected, hashOfSecret(headers.get("x-api-management-secret") ?? "")))
      throw new GatewayError("forbidden", { reason: "api-management-secret" });
  };
}

/**
 * Creates a check that returns which of these pairs the header contains, and throws `unauthenticated` if it contains
 * none. It compares every pair, even after a match, so its duration does not depend on which pair matches.
 */
function createBasicCheck(
  accepted: readonly BasicCredentials[],
): (authorization: string | null) => "current" | "previous" {
  const hashes = accepted.map(({ username, password }) => hashOfSecret(`${username}:${password}`));
  return (authorization) => {
    const encoded = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? "")?.[1] ?? "";
    const given = hashOfSecret(Buffer.from(encoded, "base64").toString("utf8"));
    const index = hashes.map((expected) => timingSafeEqual(expected, given)).indexOf(true);
    if (index === -1) {
      const challenge = 'Basic realm="vmr-gateway", charset="UTF-8"';
      throw new GatewayError("unauthenticated", { challenge, reason: "credentials" });
    }
    return index === 0 ? "current" : "previous";
  };
}

/** Returns a hash to compare instead of the secret: all have one length, so a comparison reveals nothing about it. */
function hashOfSecret(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
