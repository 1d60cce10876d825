/**
 * The pipeline of all functions, tested through one of them: failures of the platform and of the identity
 * provider, and faults.
 */
import { expect, test } from "vitest";
import { getRoom } from "../../src/functions/get-room.ts";
import type { Dependencies } from "../../src/lib/dependencies.ts";
import { failure } from "../support/failure-responses.ts";
import { useInProcessGateway } from "../support/in-process-gateway.ts";

const gateway = useInProcessGateway();
const call = async (used?: Dependencies) => gateway.call(getRoom, { roomName: "a-room" }, used);

test("Returns 503 identity-provider-unavailable if the keys have never been fetched and cannot be", async () => {
  gateway.stack.issuer.setDown(true);
  const response = await call(gateway.connect());
  expect(response).toMatchObject(failure("identity-provider-unavailable", { "retry-after": "10" }));
});

test("Returns 502 platform-rejected if the platform rejects the call", async () => {
  gateway.stack.platform.addFault({ kind: "status", status: 409, method: "GET" });
  expect(await call()).toMatchObject(failure("platform-rejected"));
});

test("Returns 502 platform-rejected if the platform redirects the call, and does not follow", async () => {
  const { platform, contactCentre } = gateway.stack;
  const callsBefore = contactCentre.callCount();
  const location = `${contactCentre.url}/api/v2/users/me`;
  platform.addFault({ kind: "status", status: 302, headers: { location }, method: "GET" });
  expect(await call()).toMatchObject(failure("platform-rejected"));
  expect(contactCentre.callCount() - callsBefore).toBeLessThanOrEqual(1);
});

test.each([
  ["401", { status: 401 }],
  ["403", { status: 403 }],
  ["a redirect to its login page", { status: 302, headers: { location: "/accounts/login/?next=/api/" } }],
])("Returns 503 platform-login-refused with Retry-After if the platform returns %s", async (_, response) => {
  gateway.stack.platform.addFault({ kind: "status", method: "GET", ...response });
  expect(await call()).toMatchObject(failure("platform-login-refused", { "retry-after": "30" }));
  const errors = gateway.log.filter((line) => line.startsWith("error"));
  expect(errors.join()).toContain(`status ${response.status}: login refused`);
});

test("Returns 503 with the platform's Retry-After if the platform throttles the call", async () => {
  const throttled = { kind: "status", status: 429, retryAfterSeconds: 17, method: "GET" } as const;
  gateway.stack.platform.addFault(throttled);
  expect(await call()).toMatchObject({ status: 503, headers: { "retry-after": "17" } });
});

test("Returns 503 platform-timeout if the platform does not respond in time", async () => {
  gateway.stack.platform.addFault({ kind: "timeout", method: "GET" });
  const response = await call(gateway.connect({ PLATFORM_TIMEOUT_SECONDS: "1" }));
  expect(response).toMatchObject(failure("platform-timeout", { "retry-after": "5" }));
});
