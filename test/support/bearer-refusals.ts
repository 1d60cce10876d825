/** Tests that all functions with bearer access share: every way in which authentication fails. */
import { expect, test } from "vitest";
import { forbiddenTokens, missingTokens, wrongTokens } from "./credentials.ts";
import type { FunctionUnderTest } from "./in-process-gateway.ts";

const realm = 'Bearer realm="vmr-gateway"';
const unauthenticated = {
  status: 401,
  code: "unauthenticated",
  json: { detail: "Not authenticated" },
} as const;

export function testBearerRefusals({ gateway, definition, sent }: FunctionUnderTest): void {
  const callWith = async (headers: Readonly<Record<string, string>>) =>
    gateway.callAsGiven(definition, { ...sent, headers });

  test.each(Object.entries(missingTokens))("Returns 401 without an error code for %s", async (_, headers) => {
    const challenge = { "www-authenticate": realm };
    expect(await callWith(headers)).toMatchObject({ ...unauthenticated, headers: challenge });
  });

  test.each(Object.entries(wrongTokens))("Returns 401 invalid_token for a token %s", async (_, makeToken) => {
    const challenge = { "www-authenticate": `${realm}, error="invalid_token"` };
    const response = await callWith({ authorization: `Bearer ${makeToken(gateway.stack.issuer)}` });
    expect(response).toMatchObject({ ...unauthenticated, headers: challenge });
  });

  test.each(Object.entries(forbiddenTokens))(
    "Returns 403 insufficient_scope for a token %s",
    async (_, makeToken) => {
      const challenge = { "www-authenticate": `${realm}, error="insufficient_scope"` };
      expect(await callWith({ authorization: `Bearer ${makeToken(gateway.stack.issuer)}` })).toMatchObject({
        status: 403,
        code: "forbidden",
        json: { detail: "Not allowed" },
        headers: challenge,
      });
    },
  );

  test("Returns 401 before it validates the query, the body and the room name", async () => {
    const query = { constrained_attributes: "?", max_vmr: "?", uuiData: "?" };
    const body = definition.method === "PATCH" ? { text: "not JSON" } : {};
    const response = await gateway.callAsGiven(definition, { roomName: "nobody", query, ...body });
    expect(response).toMatchObject({ status: 401, code: "unauthenticated" });
  });

  test("Returns 503 identity-provider-unavailable if the keys have never been fetched and cannot be", async () => {
    gateway.stack.issuer.setDown(true);
    expect(await gateway.call(definition, sent, gateway.connect())).toMatchObject({
      status: 503,
      code: "identity-provider-unavailable",
      json: { detail: "The token cannot be checked at the moment" },
      headers: { "retry-after": "10" },
    });
  });
}
