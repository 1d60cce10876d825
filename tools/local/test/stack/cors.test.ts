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
const [get, post] = ["GET", "POST"].map((method) => ({ "access-control-request-method": method }));

// Preflight requests get 200 here. The probe app knows none of the paths, so its own response is 404.
test.each([
  ["OPTIONS /public/room/abc", { origin, ...get }, 200, allowed],
  ["OPTIONS /public/room/abc", { origin: "http://localhost:4000", ...get }, 200, {}],
  ["OPTIONS /public/room/abc", { origin, ...post }, 200, {}],
  ["GET /public/health", { origin }, 404, readable],
  ["GET /public/health", { origin: "http://localhost:4000" }, 404, {}],
  ["POST /public/event_sink", { origin }, 404, {}],
  ["GET /room/list", { origin }, 404, {}],
])("%s with %j gets %i, with the headers that the policy allows", async (request, headers, status, sent) => {
  const client = createHttpClient(running.host.url);
  const received = await client.send(request, { headers });
  client.close();
  const ofCors = Object.entries(received.headers).filter(([name]) => name.startsWith("access-control-"));
  expect([received.status, Object.fromEntries(ofCors)]).toEqual([status, sent]);
});
