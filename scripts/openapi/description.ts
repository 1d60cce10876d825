/** The introduction of the API document: what authors of clients need to know about every operation. */
import { rateLimits } from "./rate-limits.ts";

/** In Markdown (CommonMark). Each section's lines are joined by spaces. */
const sections: Readonly<Record<string, readonly string[]>> = {
  Token: [
    "Private operations need an OAuth 2.0 bearer token, which the identity provider issues for client credentials with",
    "the scope `api://CLIENT_ID/.default`.",
    "A token is valid for about an hour. Cache it, and request a new one when less than five minutes remain, not for",
    "each call. After a 401, request a new token once and retry the call; do not retry a second 401.",
  ],
  Retries: [
    "Send an `Idempotency-Key` with every create: then every operation is safe to retry.",
    "Retry after 429, 503, a 404 of a create with `Retry-After`, and a lost response. Wait for `Retry-After` seconds,",
    "or otherwise for 1, 2 and 4 seconds, and add a random part to each wait. Retry 500 once.",
    "Do not retry other statuses unchanged. Use a timeout of 30 seconds for creates, 130 seconds for the list and",
    "200 seconds for bulk delete.",
  ],
  Caching: [
    "Do not cache responses: they contain PINs, and each has `Cache-Control: no-store`.",
    "Keep the response of a create for as long as its room is used, instead of reading the room again.",
  ],
  "Rate limits": [
    `API Management allows ${rateLimits.application} to private operations, ${rateLimits.agent} to the public room`,
    `and to the health check each, and ${rateLimits["event-sink"]} to the event sink, unless a deployment sets other`,
    "limits. `RateLimit-Limit` and `RateLimit-Remaining` are in every response that it forwards; a call beyond the",
    "limit gets 429 with `Retry-After`.",
  ],
  Errors: [
    "Rely on the status. The texts in `detail` are meant for people and may change.",
    "400, 404, 414 and 431 have no body. 400, 414 and 431 come from the Functions host, which refuses the request",
    "before the gateway receives it: they have no `X-Invocation-Id`.",
    "Quote the `X-Correlation-Id` of a response when you report a problem.",
  ],
  Versions: [
    "Minor versions may add operations, optional parameters and response fields.",
    "Ignore fields that you do not know.",
  ],
};

export const description = [
  "Hands out virtual meeting rooms (VMRs) of a conferencing platform. Rooms are provisioned in advance, so a create " +
    "returns a room that can be joined at once.",
  ...Object.entries(sections).flatMap(([title, lines]) => [`## ${title}`, lines.join(" ")]),
].join("\n\n");
