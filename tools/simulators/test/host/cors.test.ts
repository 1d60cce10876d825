/** The local gateway allows pages of other origins what the app's own CORS allows in Azure. */
import { expect, test } from "vitest";
import { createHttpClient } from "../../../../test/support/http-client.ts";
import { useStarted } from "../../../../test/support/use-started.ts";
import { createCorsHandler } from "../../host/cors.ts";
import { startTestHost } from "./test-host.ts";

const origin = "http://localhost:3000";
const refusals: string[] = [];
const inFront = createCorsHandler(["http://localhost:3001", origin], ({ message }) => refusals.push(message));
const running = useStarted(async () => startTestHost("probe-app.ts", { inFront, timersEnabled: false }));
const ofAnyCall = { "access-control-allow-origin": origin, vary: "Origin" };
const allowed = {
  ...ofAnyCall,
  "access-control-allow-methods": "PATCH",
  "access-control-allow-headers": "x-auth-token,x-other",
};
const preflight = "OPTIONS /public/room/abc";
const fromOther = { origin: "http://localhost:4000" };
const wanted = {
  "access-control-request-method": "PATCH",
  "access-control-request-headers": "x-auth-token,x-other",
};

test.each([
  { what: "a preflight request", request: preflight, headers: { origin, ...wanted }, sent: allowed },
  {
    what: "another origin's preflight request",
    request: preflight,
    headers: { ...fromOther, ...wanted },
    sent: {},
  },
  { what: "a call", request: "GET /room/list", headers: { origin }, sent: ofAnyCall },
  { what: "a call of another origin", request: "GET /room/list", headers: fromOther, sent: {} },
  { what: "a program's call", request: "GET /room/list", headers: {}, sent: {} },
])("The response to $what has the headers that the host adds", async ({ request, headers, sent }) => {
  const client = createHttpClient(running.host.url);
  const received = await client.send(request, { headers });
  client.close();
  // Only the first time.
  expect(refusals.filter((message) => message.includes(headers.origin ?? "http:")).length).toBeLessThan(2);
  const ofCors = Object.entries(received.headers).filter(([name]) => /^(?:access-control-|vary$)/.test(name));
  expect(Object.fromEntries(ofCors)).toEqual(sent);
  // The probe app knows none of the paths.
  expect(received.status).toBe(request === preflight ? 204 : 404);
});
