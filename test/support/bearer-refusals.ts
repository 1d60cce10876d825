/** Tests that all functions with bearer access share: every way in which authentication fails. */
import { expect, test } from "vitest";
import { forbiddenTokens, missingTokens, wrongTokens } from "./credentials.ts";
import type { FunctionUnderTest } from "./in-process-gateway.ts";
import { failure } from "./shared-failures.ts";

const realm = 'Bearer realm="vmr-gateway"';
// The issuer is on this machine, so the caller is told the reason.
const withReason = (code: string): string =>
  expect.stringMatching(new RegExp(`^${realm}, error="${code}", error_description="[^"]+"$`));
const unauthenticated = (challenge: string) => failure("unauthenticated", { "www-authenticate": challenge });

export function testBearerRefusals({ gateway, definition, sent }: FunctionUnderTest): void {
  const callWith = async (headers: Readonly<Record<string, string>>) =>
    gateway.callAsGiven(definition, { ...sent, headers });

  test.each(Object.entries(missingTokens))("Returns 401 without an error code for %s", async (_, headers) => {
    expect(await callWith(headers)).toMatchObject(unauthenticated(realm));
  });

  test.each(Object.entries(wrongTokens))("Returns 401 invalid_token for a token %s", async (_, makeToken) => {
    const response = await callWith({ authorization: `Bearer ${makeToken(gateway.stack.issuer)}` });
    expect(response).toMatchObject(unauthenticated(withReason("invalid_token")));
  });

  test.each(Object.entries(forbiddenTokens))(
    "Returns 403 insufficient_scope for a token %s",
    async (_, makeToken) => {
      const challenge = { "www-authenticate": withReason("insufficient_scope") };
      const response = await callWith({ authorization: `Bearer ${makeToken(gateway.stack.issuer)}` });
      expect(response).toMatchObject(failure("forbidden", challenge));
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
    const response = await gateway.call(definition, sent, gateway.connect());
    expect(response).toMatchObject(failure("identity-provider-unavailable", { "retry-after": "10" }));
  });
}
