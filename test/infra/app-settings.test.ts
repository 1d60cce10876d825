/** The app settings of a deployment: every setting can be set, and each value has the right source. */
import { describe, expect, test } from "vitest";
import { loadSettings, settingNames } from "../../src/lib/settings/settings.ts";
import {
  deployed,
  environmentNames,
  onlyOf,
  propertiesOf,
  variablesOf,
} from "../support/infra/environments.ts";

const settingsOf = (deployment: ReturnType<typeof deployed>): Record<string, string> =>
  propertiesOf(onlyOf(deployment, "Web/sites/config"));
const given = (name: string): Record<string, unknown> =>
  JSON.parse(variablesOf(name)["GATEWAY_SETTINGS"] ?? "");
const withSettings = (name: string, changes: object): Record<string, string> =>
  settingsOf(deployed(name, { GATEWAY_SETTINGS: JSON.stringify({ ...given(name), ...changes }) }));

const fromInfrastructure = {
  AzureWebJobsStorage__blobServiceUri: "stvmr<hash>.properties.primaryEndpoints.blob",
  AzureWebJobsStorage__queueServiceUri: "stvmr<hash>.properties.primaryEndpoints.queue",
  AzureWebJobsStorage__tableServiceUri: "stvmr<hash>.properties.primaryEndpoints.table",
  AzureWebJobsStorage__credential: "managedidentity",
  AzureWebJobsStorage__clientId: "id-vmr-test.properties.clientId",
  APPLICATIONINSIGHTS_CONNECTION_STRING: "appi-vmr-test.properties.ConnectionString",
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: "ClientId=id-vmr-test.properties.clientId;Authorization=AAD",
  FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: "17825792",
  LOGS_INGESTION_ENDPOINT: "dcr-vmr-test.properties.endpoints.logsIngestion",
  LOGS_INGESTION_RULE_ID: "dcr-vmr-test.properties.immutableId",
  LOGS_INGESTION_STREAM: "Custom-VmrGatewayMetrics_CL",
};
const secret = (name: string): string =>
  `@Microsoft.KeyVault(SecretUri=kv-vmr-<hash>.properties.vaultUrisecrets/${name})`;
const withoutHash = (text: string): string => text.replaceAll(/(?<=stvmr|kv-vmr-)[0-9a-f]{13}/g, "<hash>");

test("Each value of the test environment comes from its place", () => {
  const found = Object.entries(settingsOf(deployed("test"))).map(([name, value]) => [
    name,
    withoutHash(value),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    ...Object.fromEntries(
      Object.entries(given("test")).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ),
    POOL_READY_DELAY_SECONDS: "90",
    GIVEN_SETTING_NAMES: Object.keys(given("test")).join(","),
    ...fromInfrastructure,
    ROOM_HOST_PIN: secret("ROOM-HOST-PIN"),
    EVENT_SINK_PASSWORD: secret("EVENT-SINK-PASSWORD"),
    PLATFORM_PASSWORD: secret("PLATFORM-PASSWORD"),
    API_MANAGEMENT_SECRET: secret("API-MANAGEMENT-SECRET"),
  });
});

test.each(environmentNames)("The app accepts the settings of %s once Azure has resolved them", (name) => {
  const secrets: Readonly<Record<string, string>> = {
    ROOM_HOST_PIN: "2468",
    API_MANAGEMENT_SECRET: "a secret of more than sixteen characters",
  };
  const resolved = Object.entries(settingsOf(deployed(name))).map(([setting, value]) => {
    if (value.startsWith("@Microsoft.KeyVault(")) return [setting, secrets[setting] ?? "a password"];
    return [setting, /ServiceUri$|ENDPOINT$/.test(setting) ? "https://service.example.com" : value];
  });
  expect(() => loadSettings(Object.fromEntries(resolved))).not.toThrow();
});

describe("Every setting of the app", () => {
  // The host's own storage setting is for local runs; those with an account name are another form of the same.
  const local = ["AzureWebJobsStorage", "AzureWebJobsStorage__accountName"];
  const secrets = /_PASSWORD$|_SECRET$|_PRIVATE_KEY$|_PIN$/;
  const free = settingNames.filter(
    (name) => !(name in fromInfrastructure) && !local.includes(name) && !secrets.test(name),
  );

  test("Without a secret is passed on from GATEWAY_SETTINGS", () => {
    const given = Object.fromEntries(free.map((name) => [name, `a value of ${name}`]));
    expect(free.length).toBeGreaterThan(20);
    expect(withSettings("test", given)).toMatchObject(given);
  });

  test("With a secret is a reference to the vault where it is used", () => {
    const secretNames = settingNames.filter((name) => secrets.test(name));
    const references = (settings: Record<string, string>) =>
      Object.entries(settings).flatMap(([name, value]) =>
        value.startsWith("@Microsoft.KeyVault(") ? [name] : [],
      );
    const { PLATFORM_USERNAME: _, ...others } = given("test");
    const key = settingsOf(
      deployed("test", {
        GATEWAY_SETTINGS: JSON.stringify({ ...others, PLATFORM_OAUTH_CLIENT_ID: "client" }),
      }),
    );
    expect(references(key)).toContain("PLATFORM_OAUTH_PRIVATE_KEY");
    expect(references(key)).not.toContain("PLATFORM_PASSWORD");
    const previous = withSettings("test", { EVENT_SINK_PREVIOUS_USERNAME: "previous" });
    expect(references(previous)).not.toContain("PLATFORM_OAUTH_PRIVATE_KEY");
    expect(new Set([...references(key), ...references(previous)])).toEqual(new Set(secretNames));
  });
});
