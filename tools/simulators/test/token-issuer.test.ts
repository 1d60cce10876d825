/** The token issuer issues tokens to the consumer for its own scope only, and keeps the keys of earlier tokens. */
import { expect, test } from "vitest";
import * as z from "zod";
import { useStarted } from "../../../test/support/use-started.ts";
import { identities } from "../identities.ts";
import { startTokenIssuer } from "../services/token-issuer.ts";

const issuer = useStarted(async () => startTokenIssuer());
const { clientId, clientSecret, tenantId } = identities;
const valid = {
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret,
  scope: `api://${clientId}/.default`,
};

test.each([
  { is: "a valid one", changes: {}, status: 200, error: undefined },
  {
    is: "one for a password",
    changes: { grant_type: "password" },
    status: 400,
    error: "unsupported_grant_type",
  },
  { is: "one of another client", changes: { client_id: "x" }, status: 401, error: "invalid_client" },
  { is: "one with a wrong secret", changes: { client_secret: "x" }, status: 401, error: "invalid_client" },
  {
    is: "one for another scope",
    changes: { scope: "api://x/.default" },
    status: 400,
    error: "invalid_scope",
  },
])(
  "The response to a request for a token, $is, has the status $status",
  async ({ changes, status, error }) => {
    const body = new URLSearchParams({ ...valid, ...changes });
    const response = await fetch(issuer.tokenUrl, { method: "POST", body });
    const received = z.looseObject({ error: z.string().optional() }).parse(await response.json());
    expect([response.status, received.error]).toEqual([status, error]);
    expect("access_token" in received).toBe(status === 200);
  },
);

test("After a rotation, the key document has the new key and the earlier one", async () => {
  const keysOf = async () => {
    const response = await fetch(`${issuer.url}/${tenantId}/discovery/keys`);
    const { keys } = z.object({ keys: z.array(z.object({ kid: z.string() })) }).parse(await response.json());
    return keys.map(({ kid }) => kid);
  };
  const [earlier] = await keysOf();
  issuer.rotateKeys();
  expect(await keysOf()).toEqual([expect.not.stringMatching(`^${earlier}$`), earlier]);
});
