/** The response headers of the API document. */

export const responseHeaders = {
  "X-Invocation-Id": {
    description: "Identifies the request in the log of the gateway. Include it when you report a problem.",
    schema: { type: "string" },
    example: "77777777-7777-4777-8777-777777777777",
  },
  "X-Correlation-Id": {
    description: "The `x-correlation-id` of the request, or the one that was made for it",
    schema: { type: "string" },
    example: "order-2026-11-21-0815",
  },
  "Retry-After": {
    description: "The number of seconds to wait before retrying the request",
    schema: { type: "integer" },
    example: 5,
  },
  "RateLimit-Limit": {
    description: "The number of calls that API Management admits per minute",
    schema: { type: "integer" },
    example: 600,
  },
  "RateLimit-Remaining": {
    description: "The number of calls that API Management still admits in this minute",
    schema: { type: "integer" },
    example: 587,
  },
  "WWW-Authenticate": {
    description: "The required authentication scheme and, if a token was rejected, the reason",
    schema: { type: "string" },
    example: 'Bearer realm="vmr-gateway", error="invalid_token"',
  },
} as const;

/** Returns the headers of a response, as references to their definitions. */
export function headers(names: readonly (keyof typeof responseHeaders)[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
