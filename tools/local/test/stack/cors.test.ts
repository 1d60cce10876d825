/** The local gateway allows pages of other origins exactly what API Management's policy allows. */
import { expect, test } from "vitest";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startTestHost } from "../../../simulators/test/host/test-host.ts";
import { createCorsHandler } from "../../stack/cors.ts";

const origin = "http://localhost:3000";
const inFront = createCorsHandler([origin]);
const running = useStarted(async () => startTestHost("probe-app.ts", { inFront, timersEnabled: false }));
const exposed = "x-correlation-id,x-invocation-id,Retry-After,RateLimit-Limit,RateLimit-Remaining";
const readable = {
  "access-control-allow-origin": origin,
  "access-control-expose-headers": exposed,
};
const allowed = {
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "x-auth-token,x-correlation-id",
  "access-control-max-age": "300",
};
const room = "OPTIONS /public/room/abc";
const health = "GET /public/health";
const fromPage = { origin };
const fromOther = { origin: "http://localhost:4000" };
const wantsGet = { "access-control-request-method": "GET" };
const wantsPost = { "access-control-request-method": "POST" };

test.each([
  { what: "a preflight request", request: room, headers: { ...fromPage, ...wantsGet }, sent: allowed },
  {
    what: "another origin's preflight request",
    request: room,
    headers: { ...fromOther, ...wantsGet },
    sent: {},
  },
  { what: "a preflight request for POST", request: room, headers: { ...fromPage, ...wantsPost }, sent: {} },
  { what: "a call", request: health, headers: fromPage, sent: readable },
  { what: "a call of another origin", request: health, headers: fromOther, sent: {} },
  { what: "an event", request: "POST /public/event_sink", headers: fromPage, sent: {} },
  { what: "a call outside /public", request: "GET /room/list", headers: fromPage, sent: {} },
])("The response to $what has the headers that the policy allows", async ({ request, headers, sent }) => {
  const client = createHttpClient(running.host.url);
  const received = await client.send(request, { headers });
  client.close();
  const ofCors = Object.entries(received.headers).filter(([name]) => name.startsWith("access-control-"));
  expect(Object.fromEntries(ofCors)).toEqual(sent);
  // The probe app knows none of the paths.
  expect(received.status).toBe(request === room ? 200 : 404);
});
