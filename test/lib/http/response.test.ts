/** Responses: their bodies and headers, and the status and text of each failure. */
import { expect, test } from "vitest";
import { GatewayError } from "../../../src/lib/errors.ts";
import { toFailureResponse, toHostResponse } from "../../../src/lib/http/response.ts";

test("a body is written as JSON with its type and its length in bytes, and must not be cached", () => {
  const text = '{"name":"Zürich 🏠"}';
  expect(toHostResponse({ status: 200, body: { name: "Zürich 🏠" } })).toEqual({
    status: 200,
    body: text,
    headers: {
      "Cache-Control": "no-store",
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(text)),
    },
  });
});

test("a response without a body has no content type and no length", () => {
  expect(toHostResponse({ status: 204 })).toEqual({ status: 204, headers: { "Cache-Control": "no-store" } });
});

test.each([
  ["unauthenticated", 401, "Not authenticated"],
  ["forbidden", 403, "Not allowed"],
  ["room-not-found", 404, undefined],
  ["pool-exhausted", 404, undefined],
  ["length-required", 411, "Send the body with a Content-Length header"],
  ["body-too-large", 413, "The body is too large"],
  ["platform-rejected", 502, "The conferencing platform rejected the request"],
  ["platform-unavailable", 503, "The conferencing platform cannot be reached"],
  ["platform-login-refused", 503, "The conferencing platform cannot be used at the moment"],
  ["platform-timeout", 503, "The conferencing platform did not respond in time"],
  ["storage-unavailable", 503, "The room queues cannot be reached"],
  ["identity-provider-unavailable", 503, "The token cannot be checked at the moment"],
  ["contact-centre-unavailable", 503, "The token cannot be checked at the moment"],
  ["claim-failed", 503, "Could not allocate a room; retry the request"],
  ["bulk-delete-incomplete", 503, "Not all rooms have been deleted; retry the request"],
] as const)("the failure %s is %i with the detail %j and hides its cause", (code, status, detail) => {
  const error = new GatewayError(code, { retryAfterSeconds: 7, cause: new Error("secret") });
  const response = toFailureResponse(error);
  const body = detail === undefined ? undefined : JSON.stringify({ detail });
  expect([response.status, response.body]).toEqual([status, body]);
  expect(response.headers).toMatchObject({ "Retry-After": "7" });
});

test("a failure without a retry time and a challenge has neither header", () => {
  const { headers } = toFailureResponse(new GatewayError("forbidden"));
  expect(Object.keys(headers)).toEqual(["Cache-Control", "Content-Type", "Content-Length"]);
});

test("422 contains every fault", () => {
  const faults = ["a", "b"].map((name) => ({ type: "missing", loc: ["query", name], msg: "Field required" }));
  const response = toFailureResponse(new GatewayError("invalid-request", { faults }));
  expect([response.status, response.body]).toEqual([422, JSON.stringify({ detail: faults })]);
});
