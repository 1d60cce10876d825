/** Turns what a function returns or throws into what the Functions host sends. */
import type { HttpResponseInit } from "@azure/functions";
import { type GatewayError, publicDetailOf } from "../errors.ts";
import type { FunctionResponse } from "./contract.ts";

/** A response as the Functions host takes it, with its status and headers always set. */
export interface HostResponse extends HttpResponseInit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the response to send. Responses may contain PINs, so none may be cached. Content-Length keeps the host from
 * chunking the body.
 */
export function toHostResponse(
  { status, body }: FunctionResponse,
  headers: HostResponse["headers"] = {},
): HostResponse {
  const common = { "Cache-Control": "no-store", ...headers };
  if (body === undefined) return { status, headers: common };
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  return {
    status,
    body: text,
    headers: { ...common, "Content-Type": "application/json", "Content-Length": length },
  };
}

/**
 * Returns the response to a HEAD request: that of GET without its body. It has no Content-Length, because the host
 * responds with 500 if the length differs from the body that it gets.
 */
export function withoutBody({ status, headers }: HostResponse): HostResponse {
  const { "Content-Length": _length, ...others } = headers;
  return { status, headers: others };
}

/** Returns the response to an expected failure: its status, its fixed text or validation faults, and its headers. */
export function toFailureResponse({ code, status, details }: GatewayError): HostResponse {
  const detail = code === "invalid-request" ? (details.faults ?? []) : publicDetailOf(code);
  const { retryAfterSeconds, challenge } = details;
  const headers = {
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(challenge !== undefined && { "WWW-Authenticate": challenge }),
  };
  return toHostResponse({ status, ...(detail !== undefined && { body: { detail } }) }, headers);
}

/** Returns the response to an unexpected error: 500 with a fixed text that reveals nothing about the cause. */
export function toUnexpectedErrorResponse(): HostResponse {
  return toHostResponse({ status: 500, body: { detail: "Internal Server Error" } });
}
