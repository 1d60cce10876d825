/** The app's identity: all Azure clients of an instance use the identity that the settings name. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { createAdapters } from "../../../src/lib/dependencies.ts";
import type { MetricsRow } from "../../../src/lib/metrics/measurement.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { useStarted } from "../../support/use-started.ts";

const clientId = "77777777-7777-4777-8777-777777777777";

let requests: URL[];
// One server for all tests, because the identity library reads its endpoint's URL once per process.
const server = useStarted(async () =>
  startLoopbackServer(({ url }) => {
    requests.push(url);
    // Refuses every token, so nothing else is called.
    return { status: 400, body: {} };
  }),
);
beforeEach(() => {
  requests = [];
  // The URL at which a Functions app requests tokens.
  vi.stubEnv("IDENTITY_ENDPOINT", `${server.url}/token`);
  vi.stubEnv("IDENTITY_HEADER", "made-up");
});
afterEach(() => vi.unstubAllEnvs());

test.each([
  ["the user-assigned identity if the settings name one", clientId],
  ["the system-assigned identity if the settings name none", undefined],
])("the queues and the log workspace use %s", async (_, identityClientId) => {
  const settings = loadSettings({
    ...exampleEnvironment,
    AzureWebJobsStorage: undefined,
    AzureWebJobsStorage__accountName: "exampleaccount",
    AzureWebJobsStorage__credential: "managedidentity",
    AzureWebJobsStorage__clientId: identityClientId,
    LOGS_INGESTION_ENDPOINT: "https://logs.example.com",
    LOGS_INGESTION_RULE_ID: "dcr-1",
    LOGS_INGESTION_STREAM: "Custom-X",
  });
  const { queues, metricsSink } = createAdapters(settings);
  const row: MetricsRow = Object.create(null);
  await expect(queues.pool.count()).rejects.toMatchObject({ failure: "unknown" });
  await expect(metricsSink(row)).rejects.toThrow("the log workspace did not accept the row");

  const tokenRequests = requests.map(({ searchParams }) => Object.fromEntries(searchParams));
  const resources = tokenRequests.map(({ resource }) => resource);
  expect(new Set(resources)).toEqual(new Set(["https://storage.azure.com", "https://monitor.azure.com"]));
  expect(new Set(tokenRequests.map(({ client_id }) => client_id))).toEqual(new Set([identityClientId]));
});

test("with a connection string, the identity is the one that the machine is signed in with", async () => {
  // Of the ways to sign in, only the environment is tried, which has no credentials.
  vi.stubEnv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential");
  const credential = createCredential({ connectionString: "UseDevelopmentStorage=true" });
  const token = credential.getToken("https://monitor.azure.com/.default");
  await expect(token).rejects.toThrow("EnvironmentCredential");
});
