/** The tests that every function with bearer access shares: each way in which its authentication fails. */
import { expect, test } from "vitest";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";
import type { Call, InProcessGateway } from "./in-process-gateway.ts";
import { forbiddenTokens, missingTokens, wrongTokens } from "./wrong-tokens.ts";

const realm = 'Bearer realm="vmr-gateway"';

/** Declares them. `sent` is a request that would succeed with a valid token. */
export function testBearerRefusals(
  gateway: () => InProcessGateway,
  definition: HttpFunction<Dependencies>,
  sent: Call,
): void {
  const send = async (headers: Record<string, string>, needs?: Dependencies) =>
    gateway().call(definition, { ...sent, headers: { ...sent.headers, ...headers } }, needs);

  test.each(Object.entries(missingTokens))("401 without an error code for %s", async (_, headers) => {
    const answer = await send(headers);
    expect(answer).toMatchObject({
      status: 401,
      code: "unauthenticated",
      json: { detail: "Not authenticated" },
    });
    expect(answer.headers.get("www-authenticate")).toBe(realm);
  });

  test.each(Object.entries(wrongTokens))("401 invalid_token for a token %s", async (_, makeToken) => {
    const answer = await send({ authorization: `Bearer ${makeToken(gateway().stack.issuer)}` });
    expect(answer).toMatchObject({
      status: 401,
      code: "unauthenticated",
      json: { detail: "Not authenticated" },
    });
    expect(answer.headers.get("www-authenticate")).toBe(`${realm}, error="invalid_token"`);
  });

  test.each(Object.entries(forbiddenTokens))(
    "403 insufficient_scope for a token %s",
    async (_, makeToken) => {
      const answer = await send({ authorization: `Bearer ${makeToken(gateway().stack.issuer)}` });
      expect(answer).toMatchObject({ status: 403, code: "forbidden", json: { detail: "Not allowed" } });
      expect(answer.headers.get("www-authenticate")).toBe(`${realm}, error="insufficient_scope"`);
    },
  );

  test("401 before anything else is looked at", async () => {
    const query = { constrained_attributes: "?", max_vmr: "?", uuiData: "?" };
    const body = definition.method === "PATCH" ? { text: "not JSON" } : {};
    const answer = await gateway().call(definition, { roomName: "nobody", query, ...body });
    expect(answer).toMatchObject({ status: 401, code: "unauthenticated" });
  });

  test("503 identity-provider-unavailable while keys were never fetched and cannot be", async () => {
    gateway().stack.issuer.setDown(true);
    const answer = await send(gateway().asApplication(), gateway().connect());
    expect(answer).toMatchObject({
      status: 503,
      code: "identity-provider-unavailable",
      json: { detail: "The token cannot be checked at the moment" },
    });
    expect(answer.headers.get("retry-after")).toBe("10");
  });
}
