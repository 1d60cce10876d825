/** Failures of platform calls: the outcome determines the response. */
import { expect, test } from "vitest";
import { PlatformError } from "../../../src/lib/platform/errors.ts";

test.each([
  ["refused", 400, undefined, "platform-rejected", 502],
  ["refused", undefined, undefined, "platform-rejected", 502],
  ["refused", 429, undefined, "platform-unavailable", 503],
  ["unknown", 500, undefined, "platform-unavailable", 503],
  ["unknown", undefined, undefined, "platform-unavailable", 503],
  ["unknown", undefined, true, "platform-timeout", 503],
  ["not-sent", undefined, undefined, "platform-unavailable", 503],
  ["not-sent", undefined, true, "platform-timeout", 503],
] as const)(
  "outcome %s with status %s and timeout %s is %s, a %i",
  (outcome, platformStatus, isTimeout, code, status) => {
    const timeout = isTimeout && { isTimeout };
    const error = new PlatformError({ outcome, message: "x", status: platformStatus, ...timeout });
    expect(error).toMatchObject({ code, status, outcome, platformStatus, name: "PlatformError" });
  },
);

test("a PlatformError keeps message, body and cause", () => {
  const cause = new Error("reset");
  const error = new PlatformError({
    outcome: "refused",
    status: 400,
    message: "GET /x",
    body: { a: 1 },
    cause,
  });
  expect(error).toMatchObject({ message: "GET /x", cause, body: { a: 1 } });
});

test("a 503 has the platform's Retry-After, or 5 s by default", () => {
  const unreachable = { outcome: "unknown", message: "x" } as const;
  expect(new PlatformError(unreachable).details.retryAfterSeconds).toBe(5);
  expect(new PlatformError({ ...unreachable, retryAfterSeconds: 9 }).details.retryAfterSeconds).toBe(9);
});

test("a refused call has no Retry-After, because the platform would refuse it again", () => {
  const error = new PlatformError({ outcome: "refused", status: 400, message: "x" });
  expect(error.details).not.toHaveProperty("retryAfterSeconds");
});
