/** Every app setting's value in each environment, and what the app makes of them. */
import { describe, expect, it } from "vitest";
import { loadSettings, settingNames } from "../support/infra/code-facts.ts";
import {
  deployedWith,
  environments,
  onlyOf,
  propertiesOf,
  withoutHash,
} from "../support/infra/environments.ts";

type Environment = Parameters<typeof deployedWith>[0];

const settingsOf = (name: Environment, changes: Parameters<typeof deployedWith>[1] = {}) => {
  const settings = Object.entries(propertiesOf(onlyOf(deployedWith(name, changes), "appSettings")));
  return Object.fromEntries(settings.map(([key, value]) => [key, withoutHash(String(value))]));
};

const vault = "https://kv-vmr-<hash>.vault.example.com/secrets";
const reference = (secret: string): string => `@Microsoft.KeyVault(SecretUri=${vault}/${secret})`;

const expected = (name: string, digit: number, size: Readonly<Record<string, string>>) => ({
  // For the Functions host.
  AzureWebJobsStorage__blobServiceUri: "https://stvmr<hash>.blob.example.com/",
  AzureWebJobsStorage__queueServiceUri: "https://stvmr<hash>.queue.example.com/",
  AzureWebJobsStorage__tableServiceUri: "https://stvmr<hash>.table.example.com/",
  AzureWebJobsStorage__credential: "managedidentity",
  AzureWebJobsStorage__clientId: `client of id-vmr-${name}`,
  APPLICATIONINSIGHTS_CONNECTION_STRING: `connection string of appi-vmr-${name}`,
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: `ClientId=client of id-vmr-${name};Authorization=AAD`,
  FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: String(17 * 1024 * 1024),
  AZURE_CLIENT_ID: `client of id-vmr-${name}`,
  // The environment's own.
  PLATFORM_URL: `https://platform-${name}.example.com`,
  PLATFORM_USERNAME: "vmr-gateway",
  ROOM_TEMPLATE: '{"participant_limit":10}',
  SERVICE_TAG_BASE_URL: `https://verify-${name}.example.com/session/`,
  CONTACT_CENTRE_API_URL: "https://api.mypurecloud.de",
  CONTACT_CENTRE_DIVISION_IDS: `00000000-0000-4000-8000-00000000d${digit}01`,
  EVENT_SINK_USERNAME: `platform-${name}`,
  ...size,
  // The defaults of a deployment.
  PLATFORM_TIMEOUT_SECONDS: "10",
  PLATFORM_MAX_CONCURRENCY: "5",
  POOL_LEASE_SECONDS: "300",
  POOL_READY_DELAY_SECONDS: "90",
  UNMARKED_ROOMS: "collect",
  GC_MAX_MESSAGES: "20",
  GC_MINIMUM_AGE_SECONDS: "600",
  // From other resources and parameters.
  AUTH_TENANT_ID: `00000000-0000-4000-8000-00000000a${digit}00`,
  AUTH_AUDIENCES: `api://00000000-0000-4000-8000-00000000c${digit}01,00000000-0000-4000-8000-00000000c${digit}01`,
  AUTH_CLIENT_IDS: `00000000-0000-4000-8000-00000000c${digit}01`,
  LOGS_INGESTION_ENDPOINT: `https://dcr-vmr-${name}.ingest.example.com`,
  LOGS_INGESTION_RULE_ID: `immutable id of dcr-vmr-${name}`,
  LOGS_INGESTION_STREAM: "Custom-VmrGatewayMetrics_CL",
  // From the vault.
  PLATFORM_PASSWORD: reference("PLATFORM-PASSWORD"),
  ROOM_HOST_PIN: reference("ROOM-HOST-PIN"),
  EVENT_SINK_PASSWORD: reference("EVENT-SINK-PASSWORD"),
});

describe("App settings", () => {
  it.each([
    ["development", expected("dev", 1, { MAX_VMR: "10", POOL_MINIMUM: "5" })],
    ["test", expected("test", 2, { MAX_VMR: "20", POOL_MINIMUM: "10" })],
    ["production", expected("prod", 3, { MAX_VMR: "50", POOL_MINIMUM: "25" })],
  ] as const)("Have these values in %s", (name, values) => {
    expect(settingsOf(name)).toEqual(values);
  });

  it("Belong to the environment's app", () => {
    const { parentId, name } = onlyOf(environments.production, "appSettings").fields;
    expect(parentId).toBe(onlyOf(environments.production, "app").id);
    expect(name.split("/").at(-1)).toBe("appsettings");
  });

  it("Refer to the private key instead of the password if there is no user name for the platform", () => {
    const platform = { PLATFORM_URL: "https://platform.example.com", PLATFORM_OAUTH_CLIENT_ID: "client" };
    const rest = { MAX_VMR: 5, CONTACT_CENTRE_API_URL: "https://api.mypurecloud.de" };
    const sink = { CONTACT_CENTRE_DIVISION_IDS: "id", EVENT_SINK_USERNAME: "platform" };
    const settings = settingsOf("test", { settings: { ...platform, ...rest, ...sink } });
    expect(settings["PLATFORM_OAUTH_PRIVATE_KEY"]).toBe(reference("PLATFORM-OAUTH-PRIVATE-KEY"));
    expect(Object.keys(settings)).not.toContain("PLATFORM_PASSWORD");
  });

  it("Refer to the previous password of the event sink only while there is a previous user name", () => {
    const { settings } = environments.test.parameters;
    const previous = { ...Object(settings), EVENT_SINK_PREVIOUS_USERNAME: "before" };
    expect(settingsOf("test", { settings: previous })).toMatchObject({
      EVENT_SINK_PREVIOUS_USERNAME: "before",
      EVENT_SINK_PREVIOUS_PASSWORD: reference("EVENT-SINK-PREVIOUS-PASSWORD"),
    });
  });

  it("Refer to the secret of API Management only if it is asked for and there is one", () => {
    const secretOf = (changes: Parameters<typeof deployedWith>[1]) =>
      settingsOf("test", changes)["API_MANAGEMENT_SECRET"];
    expect(secretOf({ requireApiManagementSecret: true })).toBe(reference("API-MANAGEMENT-SECRET"));
    expect(secretOf({ requireApiManagementSecret: true, apiManagement: "none" })).toBeUndefined();
  });
});

describe("The app", () => {
  it.each(["development", "test", "production"] as const)("Starts with the settings of %s", (name) => {
    const secrets = { PLATFORM_PASSWORD: "a", ROOM_HOST_PIN: "1234", EVENT_SINK_PASSWORD: "b" };
    const loaded = loadSettings({ ...settingsOf(name), ...addresses, ...secrets });
    expect(loaded.rooms.template).toEqual({ participant_limit: 10 });
  });

  it("Knows every setting but those of the host, and has every one of its own settings offered", () => {
    const all = settingsOf("test", {
      authAuthority: "https://login.example.com",
      requireApiManagementSecret: true,
      settings: {
        PLATFORM_URL: "x",
        PLATFORM_OAUTH_CLIENT_ID: "x",
        PLATFORM_OAUTH_SCOPE: "x",
        SERVICE_TAG_BASE_URL: "x",
        ROOM_TEMPLATE: { participant_limit: 1 },
        ROOM_MAXIMUM_AGE_HOURS: 1,
        MAX_VMR: 1,
        POOL_MINIMUM: 1,
        AUTH_REQUIRED_ROLE: "x",
        CONTACT_CENTRE_API_URL: "x",
        CONTACT_CENTRE_DIVISION_IDS: "x",
        EVENT_SINK_USERNAME: "x",
        EVENT_SINK_PREVIOUS_USERNAME: "x",
      },
    });
    const both = new Set([...Object.keys(all), "PLATFORM_USERNAME", "PLATFORM_PASSWORD"]);
    expect([...both].filter((key) => !hostOnly.includes(key)).toSorted()).toEqual(
      settingNames.filter((key) => !notDeployed.includes(key)).toSorted(),
    );
  });
});

const addresses = {
  AzureWebJobsStorage__queueServiceUri: "https://storage.queue.example.com",
  AzureWebJobsStorage__blobServiceUri: "https://storage.blob.example.com",
};

/** Read by the Functions host or by an Azure library, not by the app. */
const hostOnly = [
  "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
  "APPLICATIONINSIGHTS_CONNECTION_STRING",
  "AZURE_CLIENT_ID",
  "AzureWebJobsStorage__tableServiceUri",
  "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT",
];

/** Other ways to name the storage account: a deployment names its services one by one and has no shared key. */
const notDeployed = ["AzureWebJobsStorage", "AzureWebJobsStorage__accountName"];
