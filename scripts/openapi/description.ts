/** The introduction of the API document in Markdown: what authors of clients need to know about every operation. */
export const description = `Hands out virtual meeting rooms (VMRs) of a conferencing platform. Rooms are provisioned in advance, so a
create returns a room that can be joined at once. Do not cache responses: they contain PINs.

## Token

Private operations need an OAuth 2.0 bearer token, which the identity provider issues for client credentials with the
scope \`api://CLIENT_ID/.default\`. A token is valid for about an hour. Cache it, and request a new one when less than five
minutes remain, not for each call. After a 401, request a new token once and retry the call; do not retry a second 401.

## Retries

Send an \`Idempotency-Key\` with every create: then every operation is safe to retry. Retry after 429, 503, a 404 of a
create with \`Retry-After\`, and a lost response. Wait for \`Retry-After\` seconds, or otherwise for 1, 2 and 4 seconds, and
add a random part to each wait. Retry 500 once. Do not retry other statuses unchanged. Use a timeout of 30 seconds for
creates, 170 seconds for the list and 200 seconds for bulk delete.

## Errors

Rely on the status. The texts in \`detail\` are meant for people and may change. 400, 404, 414 and 431 have no body. 400,
414 and 431 come from the Functions host, which refuses the request before the gateway receives it: they have no
\`X-Invocation-Id\`. Quote the \`X-Correlation-Id\` of a response when you report a problem.

## Versions

Minor versions may add operations, optional parameters and response fields. Ignore fields that you do not know.
`;
