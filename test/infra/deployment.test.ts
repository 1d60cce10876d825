/** What each environment would deploy: resources, role assignments, network access and app settings. */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { createRecordContainer } from "../../src/lib/azure/blob-records.ts";
import { queueNames } from "../../src/lib/ports.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import {
  allOf,
  lastOf,
  onlyOf,
  type Snapshot,
  snapshotOf,
  snapshots,
  withoutHash,
} from "../support/infra/snapshots.ts";

const development = snapshotOf("development");
const testing = snapshotOf("test");
const production = snapshotOf("production");
const existing = snapshotOf("existing");
const everySnapshot = [...snapshots];
const propertiesOf = (snapshot: Snapshot, type: string) => onlyOf(snapshot, type).properties;
const settingsOf = (snapshot: Snapshot): Record<string, string> => propertiesOf(snapshot, "Web/sites/config");
const namesOf = (snapshot: Snapshot, type: string) =>
  allOf(snapshot, type)
    .map(({ id }) => lastOf(id))
    .toSorted();

describe("The parts of an environment", () => {
  test.each([
    ["ManagedIdentity/userAssignedIdentities", 2, 3, 3, 2],
    ["Storage/storageAccounts", 2, 2, 2, 2],
    ["OperationalInsights/workspaces", 1, 1, 1, 0],
    ["ApiManagement/service", 0, 1, 1, 0],
    ["ApiManagement/service/namedValues", 0, 1, 0, 0],
    ["Insights/scheduledQueryRules", 0, 8, 8, 8],
    ["Insights/webtests", 0, 1, 1, 1],
    ["EventGrid/systemTopics/eventSubscriptions", 0, 1, 1, 1],
    ["Network/virtualNetworks", 0, 0, 1, 0],
    ["Network/privateEndpoints", 0, 0, 6, 6],
    ["Network/privateDnsZones", 0, 0, 5, 0],
  ])(
    "%s: %i in development, %i in test, %i in production, %i where everything exists",
    (type, ...expected) => {
      const counts = [development, testing, production, existing].map(
        (snapshot) => allOf(snapshot, type).length,
      );
      expect(counts).toEqual(expected);
    },
  );

  test("Have no alerts and require no secret of API Management in the first run", () => {
    const first = snapshotOf("first-run");
    const later = [
      "Insights/scheduledQueryRules",
      "Insights/webtests",
      "Insights/actionGroups",
      "EventGrid/systemTopics",
    ];
    expect([...later, "ApiManagement/service/namedValues"].flatMap((type) => allOf(first, type))).toEqual([]);
    expect("API_MANAGEMENT_SECRET" in settingsOf(first)).toBe(false);
  });

  test("Carry the tags of the environment, by which the scripts and azd find them", () => {
    const tagged = production.resources.filter((resource) => "location" in resource);
    expect(tagged.length).toBeGreaterThan(20);
    for (const { type, tags } of tagged) {
      const own = type.endsWith("/resourceGroups")
        ? { "azd-env-name": "production" }
        : { "vmr-gateway": "production" };
      expect(tags).toMatchObject({ "cost-centre": "42", ...own });
    }
    expect(onlyOf(production, "Web/sites").tags).toMatchObject({ "azd-service-name": "app" });
  });

  test("Include the queues and the container that the code names", () => {
    expect(namesOf(testing, "Storage/storageAccounts/queueServices/queues")).toEqual(
      Object.values(queueNames).toSorted(),
    );
    const containers = ["app-package", createRecordContainer];
    expect(namesOf(testing, "Storage/storageAccounts/blobServices/containers")).toEqual(
      containers.toSorted(),
    );
    const [rule] = propertiesOf(testing, "Storage/storageAccounts/managementPolicies")["policy"].rules;
    expect(rule.definition).toEqual({
      filters: { blobTypes: ["blockBlob"], prefixMatch: [`${createRecordContainer}/`] },
      actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 1 } } },
    });
  });

  test("Have the outputs that the scripts, azd and operators read, without a secret", () => {
    expect(Object.keys(existing.outputs)).toEqual([
      "functionAppName",
      "healthUrl",
      "keyVaultName",
      "outboundAddress",
    ]);
    const ofAzd = [
      "AZURE_RESOURCE_GROUP",
      "FUNCTION_APP_NAME",
      "HEALTH_URL",
      "KEY_VAULT_NAME",
      "OUTBOUND_ADDRESS",
    ];
    expect(Object.keys(production.outputs)).toEqual(ofAzd);
    const values = everySnapshot.flatMap(([, { outputs }]) => Object.values(outputs)).join("\n");
    expect(values).not.toMatch(/list\w+\(|secret|password|connectionString/i);
    expect(production.outputs["OUTBOUND_ADDRESS"]).toContain("publicIPAddresses/ip-vmr-production");
    const urls = [development, testing].map(({ outputs }) => withoutHash(outputs["HEALTH_URL"] ?? ""));
    expect(urls).toEqual([
      "https://func-vmr-development-<hash>.azurewebsites.net/public/health",
      "https://apim-vmr-test-<hash>.azure-api.net/public/health",
    ]);
    expect(existing.outputs["healthUrl"]).toBe("https://rooms.example.com/public/health");
  });

  test.each(everySnapshot)(
    "Of %s have names that Azure accepts, also with the longest name",
    (_, snapshot) => {
      const longest = {
        "Storage/storageAccounts": 24,
        "KeyVault/vaults": 24,
        "ApiManagement/service": 38,
        "Web/sites": 49,
      };
      for (const [type, maxLength] of Object.entries(longest))
        for (const { name } of allOf(snapshot, type)) {
          expect(name.length).toBeLessThanOrEqual(maxLength);
          expect(name).toMatch(type.startsWith("Storage") ? /^[a-z0-9]+$/ : /^[a-z0-9]+(-[a-z0-9]+)*$/);
        }
    },
  );
});

describe("Who may do what", () => {
  // https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
  const roles: Readonly<Record<string, string>> = {
    "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": "Storage Blob Data Owner",
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe": "Storage Blob Data Contributor",
    "974c5e8b-45b9-4653-ba55-5f855dd0fb88": "Storage Queue Data Contributor",
    "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": "Storage Table Data Contributor",
    "4633458b-17de-408a-b874-0445c86b69e6": "Key Vault Secrets User",
    "b86a8fe4-44ce-4948-aee5-eccb2c155cd7": "Key Vault Secrets Officer",
    "3913510d-42f4-4e42-8a64-420c390055eb": "Monitoring Metrics Publisher",
  };
  const assignmentsOf = (snapshot: Snapshot) =>
    allOf(snapshot, "Authorization/roleAssignments").map(({ id, properties }) => {
      const { principalId, principalType, roleDefinitionId } = properties;
      const identity =
        /\/userAssignedIdentities\/([\w-]+)'.*\)\.principalId\]$/.exec(principalId)?.[1] ?? principalId;
      const scope =
        /^(?:\[extensionResourceId\(')?(.*?)(?:'|\/providers\/Microsoft\.Authorization)/.exec(id)?.[1] ?? "";
      return withoutHash(
        `${principalType} ${identity}: ${roles[lastOf(roleDefinitionId)]} on ${lastOf(scope)}`,
      );
    });

  test.each([
    ["test", ["Group 00000000-0000-4000-8000-00000000e201: Key Vault Secrets Officer on kv-vmr-<hash>"]],
    [
      "production",
      ["Group 00000000-0000-4000-8000-00000000e301: Key Vault Secrets Officer on kv-vmr-<hash>"],
    ],
    ["existing", []],
  ])("In %s, each identity has exactly these roles", (name, ofWriters) => {
    const ofService = [
      `ServicePrincipal id-vmr-${name}-api-management: Key Vault Secrets User on kv-vmr-<hash>`,
    ];
    const expected = [
      ...ofWriters,
      ...(name === "existing" ? [] : ofService),
      `ServicePrincipal id-vmr-${name}-package: Storage Blob Data Contributor on stvmrpkg<hash>`,
      `ServicePrincipal id-vmr-${name}: Key Vault Secrets User on kv-vmr-<hash>`,
      `ServicePrincipal id-vmr-${name}: Monitoring Metrics Publisher on appi-vmr-${name}`,
      `ServicePrincipal id-vmr-${name}: Monitoring Metrics Publisher on dcr-vmr-${name}`,
      `ServicePrincipal id-vmr-${name}: Storage Blob Data Owner on stvmr<hash>`,
      `ServicePrincipal id-vmr-${name}: Storage Queue Data Contributor on stvmr<hash>`,
      `ServicePrincipal id-vmr-${name}: Storage Table Data Contributor on stvmr<hash>`,
    ];
    expect(assignmentsOf(snapshotOf(name)).toSorted()).toEqual(expected.toSorted());
  });

  test("The workflow's identity may assign exactly these roles", () => {
    const condition = readFileSync("infra/role-condition.txt", "utf8");
    const lists = [...condition.matchAll(/GuidEquals \{([^}]*)\}/g)].map(([, list = ""]) => list.split(", "));
    expect(lists.map((list) => list.toSorted())).toEqual([1, 2].map(() => Object.keys(roles).toSorted()));
    expect(condition.match(/StringEqualsIgnoreCase \{'ServicePrincipal', 'Group'\}/g)).toHaveLength(2);
  });

  test("The app runs as one identity, and Azure stores its package with another one, in another account", () => {
    const { keyVaultReferenceIdentity, functionAppConfig } = propertiesOf(testing, "Web/sites");
    const { value, authentication } = functionAppConfig.deployment.storage;
    const identities = [keyVaultReferenceIdentity, authentication.userAssignedIdentityResourceId].map(lastOf);
    expect(identities).toEqual(["id-vmr-test", "id-vmr-test-package"]);
    expect(withoutHash(value)).toMatch(/stvmrpkg<hash>'.*'app-package'/);
    const { identityClientId, secretIdentifier } = propertiesOf(testing, "ApiManagement/service/namedValues")[
      "keyVault"
    ];
    expect(identityClientId).toMatch(/\/id-vmr-test-api-management', '[\d-]+'\)\.clientId/);
    expect(secretIdentifier).toMatch(
      /\{0\}secrets\/API-MANAGEMENT-SECRET', .*\/kv-vmr-\w+', '[\d-]+'\)\.vaultUri/,
    );
  });

  test.each(everySnapshot)(
    "Nothing in %s accepts a key, a password or an unencrypted call",
    (_, snapshot) => {
      for (const { properties } of allOf(snapshot, "Storage/storageAccounts"))
        expect(properties).toMatchObject({
          allowSharedKeyAccess: false,
          allowBlobPublicAccess: false,
          allowCrossTenantReplication: false,
          minimumTlsVersion: "TLS1_2",
          supportsHttpsTrafficOnly: true,
        });
      expect(propertiesOf(snapshot, "KeyVault/vaults")["enableRbacAuthorization"]).toBe(true);
      expect(propertiesOf(snapshot, "Insights/components")["DisableLocalAuth"]).toBe(true);
      for (const { properties } of allOf(snapshot, "OperationalInsights/workspaces"))
        expect(properties["features"].disableLocalAuth).toBe(true);
      const passwords = allOf(snapshot, "Web/sites/basicPublishingCredentialsPolicies");
      expect(passwords.map(({ id, properties }) => `${lastOf(id)} ${properties["allow"]}`)).toEqual([
        "ftp false",
        "scm false",
      ]);
      const { httpsOnly, siteConfig } = propertiesOf(snapshot, "Web/sites");
      expect([httpsOnly, siteConfig.minTlsVersion]).toEqual([true, "1.2"]);
    },
  );

  test("Only production protects its vault", () => {
    const vaults = [development, testing, production].map((snapshot) =>
      propertiesOf(snapshot, "KeyVault/vaults"),
    );
    expect(vaults.map((vault) => vault["enablePurgeProtection"])).toEqual([null, null, true]);
    expect(vaults.map((vault) => vault["softDeleteRetentionInDays"])).toEqual([7, 7, 90]);
  });
});

describe("The network", () => {
  const closed = (snapshot: Snapshot) =>
    ["Storage/storageAccounts", "KeyVault/vaults", "Web/sites"].flatMap((type) => allOf(snapshot, type));

  test.each([
    ["development", "Enabled", "Allow"],
    ["test", "Enabled", "Allow"],
    ["production", "Disabled", "Deny"],
    ["existing", "Disabled", "Deny"],
  ])("In %s, public access to storage, vault and app is %s", (name, access, defaultAction) => {
    const rules = { bypass: "None", defaultAction };
    const found = closed(snapshotOf(name)).map(({ properties }) => [
      properties["publicNetworkAccess"],
      properties["networkAcls"],
    ]);
    expect(found).toEqual([
      [access, rules],
      [access, rules],
      [access, rules],
      [access, undefined],
    ]);
  });

  test.each([
    [production, "private-endpoints", "rg-vmr-gateway-production"],
    [existing, "endpoints", "rg-dns"],
  ])(
    "Everything that is closed has a private endpoint, whose name resolves",
    (snapshot, subnet, zonesGroup) => {
      const zoneGroups = allOf(snapshot, "Network/privateEndpoints/privateDnsZoneGroups");
      const reached = allOf(snapshot, "Network/privateEndpoints").map(({ id, properties }) => {
        const [{ privateLinkServiceId, groupIds }] = [
          properties["privateLinkServiceConnections"][0].properties,
        ];
        const zone = zoneGroups.find((group) => group.id.startsWith(`${id}/`))?.properties[
          "privateDnsZoneConfigs"
        ][0].properties;
        expect([lastOf(properties["subnet"].id), zone.privateDnsZoneId.split("/")[4]]).toEqual([
          subnet,
          zonesGroup,
        ]);
        expect(closed(snapshot).map((resource) => resource.id)).toContain(privateLinkServiceId);
        return withoutHash(`${lastOf(privateLinkServiceId)} ${groupIds} ${lastOf(zone.privateDnsZoneId)}`);
      });
      const expected = [
        `${withoutHash(onlyOf(snapshot, "Web/sites").name)} sites privatelink.azurewebsites.net`,
        "kv-vmr-<hash> vault privatelink.vaultcore.azure.net",
        "stvmr<hash> blob privatelink.blob.core.windows.net",
        "stvmr<hash> queue privatelink.queue.core.windows.net",
        "stvmr<hash> table privatelink.table.core.windows.net",
        "stvmrpkg<hash> blob privatelink.blob.core.windows.net",
      ];
      expect(reached.toSorted()).toEqual(expected.toSorted());
    },
  );

  test("Of production resolves each zone, and leaves through one fixed address", () => {
    const network = onlyOf(production, "Network/virtualNetworks");
    const links = allOf(production, "Network/privateDnsZones/virtualNetworkLinks");
    for (const { properties } of links)
      expect(properties).toEqual({ registrationEnabled: false, virtualNetwork: { id: network.id } });
    const linked = links.map(({ id }) => String(id.split("/").at(-3)));
    expect(linked.toSorted()).toEqual(namesOf(production, "Network/privateDnsZones"));
    const nat = onlyOf(production, "Network/natGateways");
    expect(nat.properties["publicIpAddresses"]).toEqual([
      { id: onlyOf(production, "Network/publicIPAddresses").id },
    ]);
    const subnets = network.properties["subnets"].map(
      ({ name, properties }: Snapshot["resources"][number]) => {
        const { addressPrefix, delegations, natGateway, networkSecurityGroup, defaultOutboundAccess } =
          properties;
        const delegation = delegations[0]?.properties.serviceName ?? "none";
        return [
          name,
          addressPrefix,
          delegation,
          natGateway?.id === nat.id,
          networkSecurityGroup !== null,
          defaultOutboundAccess,
        ];
      },
    );
    expect(subnets).toEqual([
      ["app", "10.40.0.0/26", "Microsoft.App/environments", true, true, false],
      ["api-management", "10.40.0.64/26", "Microsoft.Web/serverFarms", false, true, false],
      ["private-endpoints", "10.40.0.128/26", "none", false, true, false],
      ["runner", "10.40.0.192/26", "none", true, true, false],
      ["AzureBastionSubnet", "10.40.1.0/26", "none", false, false, false],
    ]);
    // The default rules allow no inbound traffic from the internet.
    expect(propertiesOf(production, "Network/networkSecurityGroups")).toEqual({});
    expect(propertiesOf(production, "Web/sites")["virtualNetworkSubnetId"]).toBe(`${network.id}/subnets/app`);
    const { virtualNetworkType, virtualNetworkConfiguration } = propertiesOf(
      production,
      "ApiManagement/service",
    );
    expect(virtualNetworkType).toBe("External");
    expect(virtualNetworkConfiguration.subnetResourceId).toBe(`${network.id}/subnets/api-management`);
    const skus = [testing, production].map((one) => onlyOf(one, "ApiManagement/service")["sku"]);
    expect(skus).toEqual([
      { name: "BasicV2", capacity: 1 },
      { name: "StandardV2", capacity: 1 },
    ]);
  });
});

test("What exists already is used instead of something new, in its own group", () => {
  const table = onlyOf(existing, "OperationalInsights/workspaces/tables");
  expect(table.id).toMatch(/\/rg-logs\/.*\/workspaces\/log-central\/tables\/VmrGatewayMetrics_CL$/);
  const api = onlyOf(existing, "ApiManagement/service/apis");
  expect(api.id).toMatch(/\/rg-shared\/.*\/service\/apim-shared\/apis\/vmr-gateway-existing$/);
  const [workspaceId = ""] = table.id.split("/tables/");
  for (const { properties } of allOf(existing, "Insights/scheduledQueryRules"))
    expect(properties["scopes"]).toEqual([workspaceId]);
  for (const { properties } of allOf(existing, "Insights/diagnosticSettings"))
    expect(properties["workspaceId"]).toBe(workspaceId);
  expect(propertiesOf(existing, "Insights/components")["WorkspaceResourceId"]).toBe(workspaceId);
  expect(propertiesOf(existing, "Web/sites")["virtualNetworkSubnetId"]).toMatch(/\/vnet-hub\/subnets\/app$/);
});

describe("The function app", () => {
  test("Replaces its instances one by one, is spread over zones in production, and runs the project's version of Node", () => {
    for (const [, snapshot] of everySnapshot) {
      expect(propertiesOf(snapshot, "Web/sites")["functionAppConfig"]).toMatchObject({
        siteUpdateStrategy: { type: "RollingUpdate" },
        runtime: { name: "node", version: manifest.engines.node.replace(">=", "") },
        scaleAndConcurrency: { maximumInstanceCount: 4, instanceMemoryMB: 2048, alwaysReady: [] },
      });
      expect(onlyOf(snapshot, "Web/serverfarms")["sku"]).toEqual({ name: "FC1", tier: "FlexConsumption" });
    }
    const zones = [development, testing, production].map(
      (one) => propertiesOf(one, "Web/serverfarms")["zoneRedundant"],
    );
    expect(zones).toEqual([false, false, true]);
    // Without API Management, the app's host responds to the widget's preflight requests.
    const cors = [development, testing].map((one) => propertiesOf(one, "Web/sites")["siteConfig"].cors);
    expect(cors).toEqual([{ allowedOrigins: ["https://widget-dev.example.com"] }, null]);
  });

  test("Stores each line once: no diagnostic setting repeats what Application Insights gets", () => {
    const settings = allOf(production, "Insights/diagnosticSettings").flatMap(({ id, properties }) =>
      properties["logs"].map((log: Readonly<Record<string, string>>) => {
        const [, , account = ""] = id.split("/providers/").at(-2)?.split("/") ?? [];
        return withoutHash(`${account}: ${log["category"] ?? log["categoryGroup"]}`);
      }),
    );
    expect(settings.map(String).toSorted()).toEqual([
      "apim-vmr-production-<hash>: GatewayLogs",
      "kv-vmr-<hash>: audit",
      "stvmr<hash>: StorageDelete",
      "stvmrpkg<hash>: StorageDelete",
      "stvmrpkg<hash>: StorageWrite",
    ]);
  });

  test("Has its rows kept, archived and capped as the environment says", () => {
    const type = "OperationalInsights/workspaces";
    expect(namesOf(production, `${type}/tables`)).toEqual([
      "AppExceptions",
      "AppRequests",
      "AppTraces",
      "VmrGatewayMetrics_CL",
    ]);
    for (const { properties } of allOf(production, `${type}/tables`))
      expect([properties["retentionInDays"], properties["totalRetentionInDays"]]).toEqual([90, 365]);
    const caps = [development, production].map(
      (one) => propertiesOf(one, type)["workspaceCapping"].dailyQuotaGb,
    );
    expect(caps).toEqual([1, -1]);
  });
});

describe("The app settings", () => {
  const reference = /\(SecretUri=\{0\}secrets\/\{1\}\)'.*\/kv-vmr-\w+', '[\d-]+'\)\.vaultUri, '([A-Z-]+)'/;
  const secretsOf = (snapshot: Snapshot) =>
    Object.entries(settingsOf(snapshot)).flatMap(([name, value]) => {
      const [, secret] = reference.exec(value) ?? [];
      if (secret !== undefined) expect(secret).toBe(name.replaceAll("_", "-"));
      return secret === undefined ? [] : [name];
    });

  test("Refer to the vault for each secret that the environment uses", () => {
    const always = ["EVENT_SINK_PASSWORD", "ROOM_HOST_PIN"];
    const password = [...always, "PLATFORM_PASSWORD"];
    expect(secretsOf(testing)).toEqual([...password, "API_MANAGEMENT_SECRET"].toSorted());
    expect(secretsOf(production)).toEqual(password.toSorted());
    const others = ["EVENT_SINK_PREVIOUS_PASSWORD", "PLATFORM_OAUTH_PRIVATE_KEY"];
    expect(secretsOf(existing)).toEqual([...always, ...others].toSorted());
  });

  test("Are the environment's values, with its names, and wait for the platform's replication", () => {
    expect(settingsOf(existing)["GIVEN_SETTING_NAMES"]?.split(",")).toHaveLength(11);
    expect(settingsOf(existing)).toMatchObject({ MAX_VMR: "20", POOL_READY_DELAY_SECONDS: "120" });
    const ofTest = { POOL_READY_DELAY_SECONDS: "90", ROOM_TEMPLATE: '{"participant_limit":10}' };
    expect(settingsOf(testing)).toMatchObject({ ...ofTest, FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: "17825792" });
  });

  test.each([
    ["AzureWebJobsStorage__blobServiceUri", "stvmr<hash>", "primaryEndpoints.blob"],
    ["AzureWebJobsStorage__queueServiceUri", "stvmr<hash>", "primaryEndpoints.queue"],
    ["AzureWebJobsStorage__tableServiceUri", "stvmr<hash>", "primaryEndpoints.table"],
    ["AzureWebJobsStorage__clientId", "id-vmr-test", "clientId"],
    ["APPLICATIONINSIGHTS_CONNECTION_STRING", "appi-vmr-test", "ConnectionString"],
    ["APPLICATIONINSIGHTS_AUTHENTICATION_STRING", "id-vmr-test", "clientId"],
    ["LOGS_INGESTION_ENDPOINT", "dcr-vmr-test", "endpoints.logsIngestion"],
    ["LOGS_INGESTION_RULE_ID", "dcr-vmr-test", "immutableId"],
  ])("%s comes from %s", (name, resource, property) => {
    const value = withoutHash(settingsOf(testing)[name] ?? "");
    expect(value).toMatch(new RegExp(`/${resource}', '[\\d-]+'\\)\\.${property}\\)`));
  });

  test.each(everySnapshot)("Of %s are accepted by the app once Azure has resolved them", (_, snapshot) => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const secrets: Readonly<Record<string, string>> = {
      ROOM_HOST_PIN: "2468",
      API_MANAGEMENT_SECRET: "a secret of more than sixteen characters",
      PLATFORM_OAUTH_PRIVATE_KEY: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    };
    const used = secretsOf(snapshot);
    const resolved = Object.entries(settingsOf(snapshot)).map(([name, value]) => {
      if (used.includes(name)) return [name, secrets[name] ?? "a password"];
      return [name, /ServiceUri$|ENDPOINT$/.test(name) ? "https://service.example.com" : value];
    });
    expect(loadSettings(Object.fromEntries(resolved)).unknownNames).toEqual([]);
  });
});
