/** A proxy that the environment names is not used: tokens and passwords go to the configured addresses alone. */
import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type LoopbackServer, startLoopbackServer } from "../../../local/simulators/loopback-server.ts";
import { loadSettings } from "../../../src/lib/settings/load-settings.ts";
import { type Adapters, createAdapters } from "../../../src/lib/wiring/adapters.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
// A token's form is enough to make the app ask for the provider's keys.
const token = [{ alg: "RS256", kid: "1" }, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");

let proxy: LoopbackServer;
let server: LoopbackServer;
let adapters: Adapters;
let throughProxy: string[];
let asked: string[];
beforeEach(async () => {
  [throughProxy, asked] = [[], []];
  proxy = await startLoopbackServer(({ url }) => {
    throughProxy.push(url.pathname);
    return { status: 502 };
  });
  server = await startLoopbackServer(({ url }) => {
    asked.push(url.pathname);
    return { status: 200, body: { access_token: "t" } };
  });
  for (const name of ["http_proxy", "HTTP_PROXY", "all_proxy"]) vi.stubEnv(name, proxy.url);
  for (const name of ["no_proxy", "NO_PROXY"]) vi.stubEnv(name, "");
  adapters = createAdapters(
    loadSettings({
      ...exampleEnvironment,
      PLATFORM_URL: server.url,
      PLATFORM_USERNAME: undefined,
      PLATFORM_PASSWORD: undefined,
      PLATFORM_OAUTH_CLIENT_ID: "client",
      PLATFORM_OAUTH_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      AUTH_AUTHORITY: server.url,
      CONTACT_CENTRE_API_URL: server.url,
    }),
  );
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all([proxy.stop(), server.stop()]);
});

test("neither for the platform and its log-in, nor for the contact centre, nor for the signing keys", async () => {
  const log = createRecordingLog();
  await adapters.platformClient.call({ method: "GET", path: "/room/" });
  await expect(
    adapters.accessChecks.agent(new Headers({ "x-auth-token": "agent" }), log),
  ).rejects.toMatchObject({ status: 403 });
  await expect(
    adapters.accessChecks.application(new Headers({ authorization: `Bearer ${token}.x` }), log),
  ).rejects.toMatchObject({ status: 503 });

  expect(throughProxy).toEqual([]);
  expect(asked.slice(0, 3)).toEqual(["/oauth/token/", "/room/", "/api/v2/users/me"]);
  expect(asked.at(3)).toMatch(/openid-configuration$/);
});
