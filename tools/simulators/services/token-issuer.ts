/** Simulates the identity provider: client-credentials tokens, both metadata documents, key rotation. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import jsonwebtoken, { type Algorithm } from "jsonwebtoken";
import { identities } from "../identities.ts";
import type { Port } from "./listen.ts";
import { type Answer, type LoopbackRequest, type Reply, startLoopbackServer } from "./loopback-server.ts";

const { tenantId, clientId, clientSecret } = identities;
const lifetimeSeconds = 3599;

type Claims = Readonly<Record<string, unknown>>;

interface TokenOverrides {
  readonly keyId?: string;
  readonly algorithm?: Algorithm;
  readonly key?: string;
}

export type TokenIssuer = Awaited<ReturnType<typeof startTokenIssuer>>;

/** Starts the issuer on 127.0.0.1, by default on a free port. Tokens use RS256 and are valid for 3599 seconds. */
export async function startTokenIssuer(port?: Port) {
  const counts = { metadata: 0, keys: 0 };
  let keys: [SigningKey, ...SigningKey[]] = [createSigningKey()];
  let isDown = false;

  const server = await startLoopbackServer(answer, port);
  const tenantUrl = `${server.url}/${tenantId}`;
  const issuers = { 1: `${tenantUrl}/`, 2: `${tenantUrl}/v2.0` };

  function answer(request: LoopbackRequest): Answer {
    const route = `${request.method} ${request.url.pathname.replace(`/${tenantId}/`, "")}`;
    const run = {
      "POST /control/keys/rotate": rotateKeys,
      "POST /control/down": () => setDown(true),
      "POST /control/up": () => setDown(false),
    }[route];
    if (run) {
      run();
      return { status: 204 };
    }
    if (isDown) return "reset";
    if (route === "GET .well-known/openid-configuration") return metadata(1);
    if (route === "GET v2.0/.well-known/openid-configuration") return metadata(2);
    if (route === "GET discovery/keys" || route === "GET discovery/v2.0/keys") return keyDocument();
    if (route === "POST oauth2/v2.0/token") return grant(request);
    return { status: 404 };
  }

  function metadata(version: 1 | 2): Reply {
    counts.metadata += 1;
    const segment = version === 1 ? "" : "v2.0/";
    return {
      status: 200,
      body: {
        issuer: issuers[version],
        token_endpoint: `${tenantUrl}/oauth2/${segment}token`,
        jwks_uri: `${tenantUrl}/discovery/${segment}keys`,
      },
    };
  }

  function keyDocument(): Reply {
    counts.keys += 1;
    return { status: 200, body: { keys: keys.map((key) => key.publicJwk) } };
  }

  function grant(request: LoopbackRequest): Reply {
    const form = new URLSearchParams(request.body.toString("utf8"));
    const body = {
      token_type: "Bearer",
      expires_in: lifetimeSeconds,
      ext_expires_in: lifetimeSeconds,
      access_token: issueToken(),
    };
    return refusalOf(form) ?? { status: 200, body };
  }

  /** Returns a token as the token endpoint would issue it, with `claims` overriding its own. */
  function issueToken({ version = 1, claims }: { version?: 1 | 2; claims?: Claims } = {}): string {
    const issuedAt = Math.floor(Date.now() / 1000);
    const subject = randomUUID();
    const versioned =
      version === 1
        ? { aud: `api://${clientId}`, appid: clientId, appidacr: "1", ver: "1.0" }
        : { aud: clientId, azp: clientId, azpacr: "1", ver: "2.0" };
    const times = { iat: issuedAt, nbf: issuedAt, exp: issuedAt + lifetimeSeconds };
    const identity = { iss: issuers[version], tid: tenantId, oid: subject, sub: subject, uti: randomUUID() };
    return signToken({ ...versioned, ...times, ...identity, ...claims });
  }

  /** Signs exactly these claims. The overrides create invalid tokens for tests. */
  function signToken(claims: Claims, { keyId, algorithm, key }: TokenOverrides = {}): string {
    return jsonwebtoken.sign(claims, key ?? keys[0].privatePem, {
      algorithm: algorithm ?? "RS256",
      keyid: keyId ?? keys[0].publicJwk.kid,
      // With `noTimestamp`, the library would delete a given `iat`.
      noTimestamp: claims["iat"] === undefined,
    });
  }

  /** Signs with a new key from now on. The earlier keys stay in the key document. */
  function rotateKeys(): void {
    keys = [createSigningKey(), ...keys];
  }

  /** While down, resets every connection except those of the control API. */
  function setDown(down: boolean): void {
    isDown = down;
  }

  return {
    /** The authority: the part of every URL before `/<tenant>/`. */
    url: server.url,
    tokenUrl: `${tenantUrl}/oauth2/v2.0/token`,
    stop: server.stop,
    rotateKeys,
    setDown,
    isDown: () => isDown,
    fetchCounts: () => ({ ...counts }),
    privateKeyPem: () => keys[0].privatePem,
    issueToken,
    signToken,
  };
}

/** Returns the OAuth error response, or undefined if the client gets a token. The scope must be the client's own. */
function refusalOf(form: URLSearchParams): Reply | undefined {
  if (form.get("grant_type") !== "client_credentials")
    return refuse(400, "unsupported_grant_type", "only client_credentials is supported");
  if (form.get("client_id") !== clientId || form.get("client_secret") !== clientSecret)
    return refuse(401, "invalid_client", "unknown client or wrong secret");
  if (form.get("scope") !== `api://${clientId}/.default`)
    return refuse(400, "invalid_scope", "not the client's own scope");
  return undefined;
}

function refuse(status: number, error: string, description: string): Reply {
  return { status, body: { error, error_description: description, correlation_id: randomUUID() } };
}

export interface SigningKey {
  readonly privatePem: string;
  readonly publicJwk: { kid: string; kty: "RSA"; use: "sig"; n: string; e: string };
}

/** Creates a 2048-bit RSA key with a random key ID. */
export function createSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: "jwk" });
  if (n === undefined || e === undefined) throw new Error("the RSA key has no modulus");
  return {
    privatePem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicJwk: { kid: randomUUID(), kty: "RSA", use: "sig", n, e },
  };
}
