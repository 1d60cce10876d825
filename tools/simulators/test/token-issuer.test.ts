/** The token issuer issues tokens to the consumer for its own scope only. */
import jsonwebtoken from "jsonwebtoken";
import { expect, test } from "vitest";
import * as z from "zod";
import { useStarted } from "../../../test/support/use-started.ts";
import { identities } from "../identities.ts";
import { startTokenIssuer } from "../services/token-issuer.ts";

const issuer = useStarted(async () => startTokenIssuer());
const { clientId, clientSecret } = identities;
const client = { client_id: clientId, client_secret: clientSecret };
const valid = { ...client, grant_type: "client_credentials", scope: `api://${clientId}/.default` };

test("After a change of the key, tokens of their version's issuer have the new one, and those before it stay valid", async () => {
  const keyOf = (token: string) => jsonwebtoken.decode(token, { complete: true })?.header.kid;
  const earlier = keyOf(issuer.issueToken());
  issuer.rotateKeys();
  const newest = keyOf(issuer.issueToken());
  const response = await fetch(`${issuer.url}/${identities.tenantId}/discovery/keys`);
  expect(await response.json()).toMatchObject({ keys: [{ kid: newest }, { kid: earlier }] });
  expect(newest).not.toBe(earlier);
  const { iss } = jsonwebtoken.decode(issuer.issueToken({ version: 2 }), { json: true }) ?? {};
  expect(iss).toBe(`${issuer.url}/${identities.tenantId}/v2.0`);
});

test.each([
  ["a valid request", {}, 200, undefined],
  ["another grant", { grant_type: "password" }, 400, "unsupported_grant_type"],
  ["another client", { client_id: "x" }, 401, "invalid_client"],
  ["a wrong secret", { client_secret: "x" }, 401, "invalid_client"],
  ["another scope", { scope: "api://x/.default" }, 400, "invalid_scope"],
])("The response to %s has the right status and error", async (_, changes, status, error) => {
  const body = new URLSearchParams({ ...valid, ...changes });
  const response = await fetch(issuer.tokenUrl, { method: "POST", body });
  const received = z.record(z.string(), z.unknown()).parse(await response.json());
  expect([response.status, received["error"]]).toEqual([status, error]);
  expect("access_token" in received).toBe(status === 200);
  const { iat = 0, exp = 0 } = jsonwebtoken.decode(String(received["access_token"]), { json: true }) ?? {};
  expect(exp - iat).toBe(received["expires_in"] ?? 0);
});
