/** Expected failures: status and fixed text. */
import { expect, test } from "vitest";
import { failures, GatewayError } from "../../src/lib/errors.ts";

test("a GatewayError takes status and text from its code, not from its cause", () => {
  const cause = new Error("https://platform.example.com/?pin=482913");
  const error = new GatewayError("platform-unavailable", { cause, retryAfterSeconds: 5 });

  expect(error).toMatchObject({ name: "GatewayError", code: "platform-unavailable", status: 503, cause });
  expect(error.message).toBe("platform-unavailable");
  expect(failures[error.code].detail).toBe("The conferencing platform cannot be reached");
});
