/** Failures of the platform: what became of the call decides how the caller is answered. */
import { expect, test } from "vitest";
import { PlatformError } from "../../../src/lib/platform/platform-error.ts";

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
  "%s with status %s, timeout %s: %s, answered %i",
  (outcome, platformStatus, isTimeout, code, status) => {
    const timeout = isTimeout && { isTimeout };
    const error = new PlatformError({ outcome, message: "x", status: platformStatus, ...timeout });
    expect(error).toMatchObject({ code, status, outcome, platformStatus, name: "PlatformError" });
  },
);

test("its text is the given one, and what caused it is kept", () => {
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

test("what is away or slow tells when to come back: as the platform says, else in 5 s", () => {
  const away = { outcome: "unknown", message: "x" } as const;
  expect(new PlatformError(away).details.retryAfterSeconds).toBe(5);
  expect(new PlatformError({ ...away, retryAfterSeconds: 9 }).details.retryAfterSeconds).toBe(9);
});

test("a refusal has no Retry-After: the same request would be refused again", () => {
  const error = new PlatformError({ outcome: "refused", status: 400, message: "x" });
  expect(error.details).not.toHaveProperty("retryAfterSeconds");
});
