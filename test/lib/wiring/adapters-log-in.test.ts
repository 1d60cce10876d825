/** The platform's OAuth log-in as the settings ask for it: at the platform's own address, within its time limit. */
import { generateKeyPairSync } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { startLoopbackServer } from "../../../local/simulators/loopback-server.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { createAdapters } from "../../../src/lib/wiring/adapters.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

// The limit is one second here; a log-in with the default of ten, or none, is not given up in time.
test("a log-in without an answer is given up after the time limit", { timeout: 8000 }, async () => {
  const paths: string[] = [];
  const platform = await startLoopbackServer(({ url }) => {
    paths.push(url.pathname);
    return "silence";
  });
  onTestFinished(async () => platform.stop());
  const { platformClient } = createAdapters(
    loadSettings({
      ...exampleEnvironment,
      PLATFORM_URL: platform.url,
      PLATFORM_USERNAME: undefined,
      PLATFORM_PASSWORD: undefined,
      PLATFORM_OAUTH_CLIENT_ID: "client",
      PLATFORM_OAUTH_PRIVATE_KEY: String(privateKey.export({ type: "pkcs8", format: "pem" })),
      PLATFORM_TIMEOUT_SECONDS: "1",
    }),
  );

  await expect(platformClient.call({ method: "GET", path: "/x/" })).rejects.toMatchObject({ status: 503 });
  expect(paths).toEqual(["/oauth/token/"]);
});
