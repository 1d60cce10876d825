/** Adapters as the settings define them. */
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAdapters } from "../../src/lib/adapters.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { startContactCentre } from "../../tools/local/simulators/contact-centre.ts";
import { startLogWorkspace } from "../../tools/local/simulators/log-workspace.ts";
import { startLoopbackServer } from "../../tools/local/simulators/loopback-server.ts";
import { startPlatformSimulator } from "../../tools/local/simulators/platform/platform-simulator.ts";
import { startTokenIssuer } from "../../tools/local/simulators/token-issuer.ts";
import { exampleEnvironment } from "../support/example-settings.ts";
import { createRecordingLog } from "../support/recording-log.ts";

const adaptersFor = (changes: Record<string, string | undefined>) =>
  createAdapters(loadSettings({ ...exampleEnvironment, ...changes }));

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const oauth = {
  PLATFORM_USERNAME: undefined,
  PLATFORM_PASSWORD: undefined,
  PLATFORM_OAUTH_CLIENT_ID: "client",
  PLATFORM_OAUTH_PRIVATE_KEY: String(privateKey.export({ type: "pkcs8", format: "pem" })),
};

describe("the platform client", () => {
  test("logs in with the user name and password of the settings", async () => {
    const account = { username: "api-user", password: "platform-password-9f2c" };
    const platform = await startPlatformSimulator(account);
    onTestFinished(async () => platform.stop());
    const { platformClient } = adaptersFor({ PLATFORM_URL: platform.url });
    const call = { method: "GET" as const, path: "/api/admin/configuration/v1/conference/" };

    await expect(platformClient.call(call)).resolves.toMatchObject({ body: { objects: [] } });
  });

  // The timeout is one second here; with the default of ten or without any, this test would time out.
  test("logs in with OAuth at the platform's address, within the timeout of the settings", {
    timeout: 8000,
  }, async () => {
    const paths: string[] = [];
    const platform = await startLoopbackServer(({ url }) => {
      paths.push(url.pathname);
      return "silence";
    });
    onTestFinished(async () => platform.stop());
    const changes = { PLATFORM_URL: platform.url, ...oauth, PLATFORM_TIMEOUT_SECONDS: "1" };
    const { platformClient } = adaptersFor(changes);

    await expect(platformClient.call({ method: "GET", path: "/x/" })).rejects.toMatchObject({ status: 503 });
    expect(paths).toEqual(["/oauth/token/"]);
  });
});

test("creating the adapters calls nothing", async () => {
  const platform = await startPlatformSimulator({ username: "api-user", password: "password" });
  const issuer = await startTokenIssuer({ tenantId: "11111111-1111-4111-8111-111111111111", clients: [] });
  const centre = await startContactCentre({ users: [] });
  const workspace = await startLogWorkspace();
  const servers = [platform, issuer, centre, workspace];
  onTestFinished(async () => {
    await Promise.all(servers.map(async (server) => server.stop()));
  });
  adaptersFor({
    PLATFORM_URL: platform.url,
    AUTH_AUTHORITY: issuer.url,
    CONTACT_CENTRE_API_URL: centre.url,
    LOGS_INGESTION_ENDPOINT: workspace.url,
    LOGS_INGESTION_RULE_ID: "dcr-1",
    LOGS_INGESTION_STREAM: "Custom-X",
  });
  await new Promise(setImmediate);

  expect([platform.requests().total, centre.callCount(), workspace.rows().length]).toEqual([0, 0, 0]);
  expect(issuer.fetchCounts()).toEqual({ metadata: 0, keys: 0, tokens: 0 });
});

test("IDs and random bytes differ from call to call", () => {
  const adapters = adaptersFor({});
  expect(adapters.newId()).not.toBe(adapters.newId());
  expect(adapters.random.bytes(16)).not.toEqual(adapters.random.bytes(16));
});

test("outbound calls ignore a proxy in the environment", async () => {
  const proxied: string[] = [];
  const paths: string[] = [];
  const proxy = await startLoopbackServer(({ url }) => {
    proxied.push(url.pathname);
    return { status: 502 };
  });
  const server = await startLoopbackServer(({ url }) => {
    paths.push(url.pathname);
    return { status: 200, body: { access_token: "t" } };
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await Promise.all([proxy.stop(), server.stop()]);
  });
  for (const name of ["http_proxy", "HTTP_PROXY", "all_proxy"]) vi.stubEnv(name, proxy.url);
  for (const name of ["no_proxy", "NO_PROXY"]) vi.stubEnv(name, "");
  const { platformClient, accessChecks } = adaptersFor({
    ...oauth,
    PLATFORM_URL: server.url,
    AUTH_AUTHORITY: server.url,
    CONTACT_CENTRE_API_URL: server.url,
  });
  // The format of a token is enough to make the app fetch the provider's keys.
  const token = [{ alg: "RS256", kid: "1" }, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const agent = new Headers({ "x-auth-token": "agent" });
  const application = new Headers({ authorization: `Bearer ${token}.x` });
  const log = createRecordingLog();

  await platformClient.call({ method: "GET", path: "/room/" });
  await expect(accessChecks.agent(agent, log)).rejects.toMatchObject({ status: 403 });
  await expect(accessChecks.application(application, log)).rejects.toMatchObject({ status: 503 });
  expect(proxied).toEqual([]);
  expect(paths.slice(0, 3)).toEqual(["/oauth/token/", "/room/", "/api/v2/users/me"]);
  expect(paths.at(3)).toMatch(/openid-configuration$/);
});
