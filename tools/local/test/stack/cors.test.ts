/** The local gateway allows pages of other origins exactly what API Management's policy allows. */
import { expect, test } from "vitest";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { startTestHost } from "../../../simulators/test/host/test-host.ts";
import { createCorsHandler } from "../../stack/cors.ts";

const origin = "http://localhost:3000";
const inFront = createCorsHandler([origin]);
const running = useStarted(async () => startTestHost("probe-app.ts", { inFront, timersEnabled: false }));

async function send(request: string, headers: Record<string, string>) {
  const client = createHttpClient(running.host.url);
  const received = await client.send(request, { headers });
  client.close();
  const sent = Object.entries(received.headers).filter(([name]) => name.startsWith("access-control-"));
  return { status: received.status, headers: Object.fromEntries(sent) };
}

test("A preflight request gets 200, with headers if its origin and method are allowed", async () => {
  const asks = (method: string) => ({ "access-control-request-method": method });
  const path = "OPTIONS /public/room/abc";
  expect(await send(path, { origin, ...asks("GET") })).toEqual({
    status: 200,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": "x-auth-token,x-correlation-id",
      "access-control-max-age": "300",
    },
  });
  const refused = { status: 200, headers: {} };
  expect(await send(path, { origin: "http://localhost:4000", ...asks("GET") })).toEqual(refused);
  expect(await send(path, { origin, ...asks("POST") })).toEqual(refused);
});

// The probe app knows none of these paths, so its own response is 404.
test.each([
  ["GET /public/health", { origin }, true],
  ["GET /public/health", { origin: "http://localhost:4000" }, false],
  ["GET /public/health", {}, false],
  ["POST /public/event_sink", { origin }, false],
  ["GET /room/list", { origin }, false],
] as const)(
  "%s with %j reaches the app; its response has CORS headers: %s",
  async (request, headers, has) => {
    const response = await send(request, headers);
    expect(response.status).toBe(404);
    expect(response.headers).toEqual(
      has
        ? {
            "access-control-allow-origin": origin,
            "access-control-expose-headers":
              "x-correlation-id,x-invocation-id,Retry-After,RateLimit-Limit,RateLimit-Remaining",
          }
        : {},
    );
  },
);
