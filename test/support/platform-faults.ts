/** The tests that functions share whose answer needs the platform: each way in which a call to it fails. */
import { expect, test } from "vitest";
import type { HttpFunction } from "../../src/lib/http/contract.ts";
import type { Dependencies } from "../../src/lib/wiring/dependencies.ts";
import type { Call, InProcessGateway } from "./in-process-gateway.ts";

export interface FaultedCall {
  readonly gateway: () => InProcessGateway;
  readonly definition: HttpFunction<Dependencies>;
  readonly sent: Call;
  /** Credentials, fetched when the test runs. */
  readonly headers: () => Record<string, string>;
  /** Sets up what a good answer would need. */
  readonly prepare?: () => void | Promise<void>;
}

/** Declares them: refused, unusable, down in two ways, and too slow. */
export function testPlatformFaults({ gateway, definition, sent, headers, prepare }: FaultedCall): void {
  const send = async (needs?: Dependencies) => {
    await prepare?.();
    return gateway().call(definition, { ...sent, headers: { ...sent.headers, ...headers() } }, needs);
  };

  test("502 platform-rejected when the platform refuses the call", async () => {
    gateway().stack.platform.addFault({ kind: "status", status: 403, method: "GET" });
    expect(await send()).toMatchObject({
      status: 502,
      code: "platform-rejected",
      json: { detail: "The conferencing platform rejected the request" },
    });
  });

  test("502 platform-rejected when the platform answers with a redirect, which is not followed", async () => {
    const { platform, contactCentre } = gateway().stack;
    const callsBefore = contactCentre.callCount();
    const location = `${contactCentre.url}/api/v2/users/me`;
    platform.addFault({ kind: "status", status: 302, headers: { location }, method: "GET" });
    expect(await send()).toMatchObject({ status: 502, code: "platform-rejected" });
    expect(contactCentre.callCount() - callsBefore).toBeLessThanOrEqual(1);
  });

  test("503 platform-unavailable while the platform is down", async () => {
    await prepare?.();
    await gateway().stack.platform.goDown("refuse");
    const answer = await gateway().call(definition, { ...sent, headers: { ...sent.headers, ...headers() } });
    expect(answer).toMatchObject({
      status: 503,
      code: "platform-unavailable",
      json: { detail: "The conferencing platform cannot be reached" },
    });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("503 platform-unavailable with the platform's own Retry-After when it throttles", async () => {
    const throttled = { kind: "status", status: 429, retryAfterSeconds: 17, method: "GET" } as const;
    gateway().stack.platform.addFault(throttled);
    const answer = await send();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("17");
  });

  test("503 platform-timeout when the platform does not answer in time", async () => {
    gateway().stack.platform.addFault({ kind: "timeout", method: "GET" });
    expect(await send(gateway().connect({ PLATFORM_TIMEOUT_SECONDS: "1" }))).toMatchObject({
      status: 503,
      code: "platform-timeout",
      json: { detail: "The conferencing platform did not respond in time" },
    });
  });
}
