/** Pages of other origins at the local gateway: what API Management's policy allows them, and nothing else. */
import { expect, test } from "vitest";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { createCorsHandler } from "../../stack/cors.ts";
import { useTestHost } from "../host/test-host.ts";

const origin = "http://localhost:3000";
const otherOrigin = "http://localhost:4000";
const corsHeaders = {
  preflight: {
    "access-control-allow-origin": origin,
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "x-auth-token,x-correlation-id",
    "access-control-max-age": "300",
  },
  response: {
    "access-control-allow-origin": origin,
    "access-control-expose-headers":
      "x-correlation-id,x-invocation-id,Retry-After,RateLimit-Limit,RateLimit-Remaining",
  },
  none: {},
};

const running = useTestHost("probe-app.ts", { inFront: createCorsHandler([origin]) });

async function send(request: string, headers: Record<string, string>) {
  const client = createHttpClient(running.host.url);
  const received = await client.send(request, { headers });
  client.close();
  const sent = Object.entries(received.headers).filter(([name]) => name.startsWith("access-control-"));
  return { status: received.status, headers: Object.fromEntries(sent) };
}

const asks = (method: string) => ({ "access-control-request-method": method });

test.each([
  ["a GET", 200, "preflight", { origin, ...asks("GET") }],
  ["a GET of another origin", 200, "none", { origin: otherOrigin, ...asks("GET") }],
  ["a POST", 200, "none", { origin, ...asks("POST") }],
] as const)(
  "The preflight request for %s gets %i with the headers: %s",
  async (_, status, expected, headers) => {
    expect(await send("OPTIONS /public/room/abc", headers)).toEqual({
      status,
      headers: corsHeaders[expected],
    });
  },
);

// The probe app knows none of these paths, so its own response is 404.
test.each([
  ["GET /public/health", "a page of the origin", "response", { origin }],
  ["GET /public/health", "a page of another origin", "none", { origin: otherOrigin }],
  ["GET /public/health", "a caller without an origin", "none", {}],
  ["POST /public/event_sink", "a page of the origin", "none", { origin }],
  ["OPTIONS /public/health", "a page of the origin that is not a preflight request", "none", { origin }],
  ["GET /room/list", "a page of the origin", "none", { origin }],
  ["OPTIONS /room/create", "a page of the origin", "none", { origin, ...asks("POST") }],
] as const)(
  "%s from %s reaches the app; its response gets the headers: %s",
  async (request, _, expected, headers) => {
    expect(await send(request, headers)).toEqual({ status: 404, headers: corsHeaders[expected] });
  },
);
