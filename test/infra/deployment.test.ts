/** What each environment would deploy: resources, role assignments, network access and app settings. */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { createRecordContainer } from "../../src/lib/azure/blob-records.ts";
import { maxBodyBytes } from "../../src/lib/http/body.ts";
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
const second = snapshotOf("second");
const everySnapshot = [...snapshots];
const propertiesOf = (snapshot: Snapshot, type: string) => onlyOf(snapshot, type).properties;
const settingsOf = (snapshot: Snapshot): Record<string, string> => propertiesOf(snapshot, "Web/sites/config");
const namesOf = (snapshot: Snapshot, type: string) => allOf(snapshot, type).map(({ id }) => lastOf(id));

describe("The parts of an environment", () => {
  test("Carry the tags of the environment, by which the scripts find them", () => {
    const [group, ...others] = production.resources.filter((resource) => "location" in resource);
    expect(group?.tags).toEqual({ "cost-centre": "42" });
    expect(others.length).toBeGreaterThan(20);
    const own = { "cost-centre": "42", "vmr-gateway": "production" };
    for (const { tags } of others) expect(tags).toMatchObject(own);
    const health = everySnapshot.map(([, one]) =>
      withoutHash(onlyOf(one, "Web/sites").tags?.["vmr-gateway-health"] ?? ""),
    );
    expect(health).toEqual([
      "https://func-vmr-development-<hash>.azurewebsites.net/public/health",
      "https://rooms.example.com/public/health",
      "https://apim-vmr-production-<hash>.azure-api.net/public/health",
      "https://apim-shared.azure-api.net/second/public/health",
      "https://apim-vmr-test-<hash>.azure-api.net/public/health",
    ]);
  });

  test("Include the queues and the container that the code names", () => {
    const queues = namesOf(testing, "Storage/storageAccounts/queueServices/queues");
    expect(queues.toSorted()).toEqual(Object.values(queueNames).toSorted());
    const containers = namesOf(testing, "Storage/storageAccounts/blobServices/containers");
    expect(new Set(containers)).toEqual(new Set(["app-package", createRecordContainer]));
    const [rule] = propertiesOf(testing, "Storage/storageAccounts/managementPolicies")["policy"].rules;
    const { filters, actions } = rule.definition;
    expect(filters.prefixMatch).toEqual([`${createRecordContainer}/`]);
    expect(actions).toEqual({ baseBlob: { delete: { daysAfterModificationGreaterThan: 1 } } });
  });

  test("Have the outputs that operators read, without a secret", () => {
    expect(Object.keys(second.outputs)).toEqual([
      "functionAppName",
      "healthUrl",
      "keyVaultName",
      "outboundAddress",
    ]);
    expect(second.outputs["outboundAddress"]).toContain("publicIPAddresses/ip-vmr-second");
    const values = everySnapshot.flatMap(([, { outputs }]) => Object.values(outputs)).join("\n");
    expect(values).not.toMatch(/list\w+\(|secret|password|connectionString/i);
  });
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
  const principal = /\/userAssignedIdentities\/([\w-]+)'.*\)\.principalId\]$/;
  const scope = /^(?:\[extensionResourceId\(')?(.*?)(?:'|\/providers\/Microsoft\.Authorization)/;
  const assignmentsOf = (snapshot: Snapshot) =>
    allOf(snapshot, "Authorization/roleAssignments").map(({ id, properties }) => {
      const { principalId, principalType, roleDefinitionId } = properties;
      const who = principal.exec(principalId)?.[1] ?? principalId;
      const where = withoutHash(lastOf(scope.exec(id)?.[1] ?? ""));
      return `${principalType} ${who}: ${roles[lastOf(roleDefinitionId)]} on ${where}`;
    });

  test.each([
    ["test", "00000000-0000-4000-8000-00000000e201"],
    ["production", "00000000-0000-4000-8000-00000000e301"],
    ["existing", undefined],
  ])("Each identity has exactly the expected roles in %s", (name, writers) => {
    const expected = [
      ...(writers === undefined ? [] : [`Group ${writers}: Key Vault Secrets Officer on kv-vmr-<hash>`]),
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

  test("The workflow's identity may assign exactly the roles of the template", () => {
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
  });

  test.each(everySnapshot)(
    "Nothing in %s accepts a key or a password, or an unencrypted call",
    (_, snapshot) => {
      const noKeys = { allowSharedKeyAccess: false, allowBlobPublicAccess: false };
      const encrypted = { minimumTlsVersion: "TLS1_2", supportsHttpsTrafficOnly: true };
      for (const { properties } of allOf(snapshot, "Storage/storageAccounts"))
        expect(properties).toMatchObject({ ...noKeys, ...encrypted, allowCrossTenantReplication: false });
      expect(propertiesOf(snapshot, "KeyVault/vaults")["enableRbacAuthorization"]).toBe(true);
      expect(propertiesOf(snapshot, "Insights/components")["DisableLocalAuth"]).toBe(true);
      for (const { properties } of allOf(snapshot, "OperationalInsights/workspaces"))
        expect(properties["features"].disableLocalAuth).toBe(true);
      const passwords = allOf(snapshot, "Web/sites/basicPublishingCredentialsPolicies");
      const allowed = passwords.map(({ id, properties }) => `${lastOf(id)} ${properties["allow"]}`);
      expect(allowed).toEqual(["ftp false", "scm false"]);
      const { httpsOnly, siteConfig } = propertiesOf(snapshot, "Web/sites");
      expect([httpsOnly, siteConfig.minTlsVersion]).toEqual([true, "1.2"]);
    },
  );
});

describe("The network", () => {
  const closable = ["Storage/storageAccounts", "KeyVault/vaults", "Web/sites"];
  const closed = (snapshot: Snapshot) => closable.flatMap((type) => allOf(snapshot, type));

  test.each([
    ["development", "Enabled", "Allow"],
    ["test", "Enabled", "Allow"],
    ["production", "Disabled", "Deny"],
    ["existing", "Disabled", "Deny"],
  ])("In %s, public access to storage, vault and app is %s", (name, access, defaultAction) => {
    const rules = { bypass: "None", defaultAction };
    // The lifecycle rule, a service of Azure, must reach the account with the records.
    const ofRecords = { bypass: "AzureServices", defaultAction };
    for (const { name: resource, type, properties } of closed(snapshotOf(name))) {
      expect([resource, properties["publicNetworkAccess"]]).toEqual([resource, access]);
      const expected = resource.startsWith("stvmrpkg") || resource.startsWith("kv-") ? rules : ofRecords;
      expect(properties["networkAcls"]).toEqual(type === "Microsoft.Web/sites" ? undefined : expected);
    }
  });

  test.each([
    [production, "private-endpoints", "rg-vmr-gateway-production"],
    [existing, "endpoints", "rg-dns"],
    [second, "private-endpoints", "rg-dns"],
  ])(
    "Everything that is closed has a private endpoint, whose name resolves",
    (snapshot, subnet, zonesGroup) => {
      const zoneGroups = allOf(snapshot, "Network/privateEndpoints/privateDnsZoneGroups");
      const reached = allOf(snapshot, "Network/privateEndpoints").map(({ id, properties }) => {
        const { privateLinkServiceId, groupIds } = properties["privateLinkServiceConnections"][0].properties;
        const zoneGroup = zoneGroups.find((group) => group.id.startsWith(`${id}/`))?.properties;
        const zone = String(zoneGroup?.["privateDnsZoneConfigs"][0].properties.privateDnsZoneId);
        expect([lastOf(properties["subnet"].id), zone.split("/")[4]]).toEqual([subnet, zonesGroup]);
        expect(closed(snapshot).map((resource) => resource.id)).toContain(privateLinkServiceId);
        return `${withoutHash(lastOf(privateLinkServiceId)).split("-")[0]} ${groupIds} ${lastOf(zone)}`;
      });
      const expected = [
        "func sites privatelink.azurewebsites.net",
        "kv vault privatelink.vaultcore.azure.net",
        "stvmr<hash> blob privatelink.blob.core.windows.net",
        "stvmr<hash> queue privatelink.queue.core.windows.net",
        "stvmr<hash> table privatelink.table.core.windows.net",
        "stvmrpkg<hash> blob privatelink.blob.core.windows.net",
      ];
      expect(reached.toSorted()).toEqual(expected);
    },
  );

  test("Of production resolves each zone, and leaves through one fixed address", () => {
    const network = onlyOf(production, "Network/virtualNetworks");
    const links = allOf(production, "Network/privateDnsZones/virtualNetworkLinks");
    const toNetwork = { virtualNetwork: { id: network.id }, resolutionPolicy: "NxDomainRedirect" };
    const link = { registrationEnabled: false, ...toNetwork };
    expect(links.map(({ properties }) => properties)).toEqual([link, link, link, link, link]);
    const linked = links.map(({ id }) => String(id.split("/").at(-3)));
    expect(linked).toEqual(namesOf(production, "Network/privateDnsZones"));
    const nat = onlyOf(production, "Network/natGateways");
    const address = onlyOf(production, "Network/publicIPAddresses");
    expect(nat.properties["publicIpAddresses"]).toEqual([{ id: address.id }]);
    const subnets: readonly Snapshot["resources"][number][] = network.properties["subnets"];
    // Bastion's subnet has at least 64 addresses.
    const ranges = subnets.map(({ properties }) => properties["addressPrefix"]);
    expect(ranges).toEqual([0, 64, 128, 192].map((start) => `10.40.0.${start}/26`).concat("10.40.1.0/26"));
    const withEgress = subnets.filter(({ properties }) => properties["natGateway"]?.id === nat.id);
    expect(withEgress.map(({ name }) => name)).toEqual(["app", "runner"]);
    for (const { properties } of subnets) expect(properties["defaultOutboundAccess"]).toBe(false);
    const delegated = subnets.flatMap(({ properties }) => properties["delegations"]);
    const services = delegated.map((delegation) => delegation.properties.serviceName);
    expect(services).toEqual(["Microsoft.App/environments", "Microsoft.Web/serverFarms"]);
    const open = subnets.filter(({ properties }) => properties["networkSecurityGroup"] === null);
    expect(open.map(({ name }) => name)).toEqual(["AzureBastionSubnet"]);
    // The default rules allow no inbound traffic from the internet.
    expect(propertiesOf(production, "Network/networkSecurityGroups")).toEqual({});
    expect(propertiesOf(production, "Web/sites")["virtualNetworkSubnetId"]).toBe(`${network.id}/subnets/app`);
    const service = propertiesOf(production, "ApiManagement/service");
    const subnet = { subnetResourceId: `${network.id}/subnets/api-management` };
    expect(service).toMatchObject({ virtualNetworkType: "External", virtualNetworkConfiguration: subnet });
  });
});

test("Calls and deletions are logged, and nobody can purge the vault of production", () => {
  const logs = allOf(production, "Insights/diagnosticSettings").map(({ id, properties }) => {
    const kinds: { category?: string; categoryGroup?: string; enabled: boolean }[] = properties["logs"];
    const enabled = kinds.filter((kind) => kind.enabled).map((kind) => kind.category ?? kind.categoryGroup);
    return `${/\/(apim|kv|stvmr(?:pkg)?)[-<]/.exec(withoutHash(id))?.[1]}: ${String(enabled)}`;
  });
  const ofAccounts = ["stvmrpkg: StorageWrite,StorageDelete", "stvmr: StorageDelete"];
  expect(logs).toEqual(["apim: GatewayLogs", "kv: audit", ...ofAccounts]);
  const workspaces = [production, testing].map((one) => propertiesOf(one, "OperationalInsights/workspaces"));
  expect(workspaces).toMatchObject([
    { retentionInDays: 90, workspaceCapping: { dailyQuotaGb: -1 } },
    { retentionInDays: 90, workspaceCapping: { dailyQuotaGb: 5 } },
  ]);
  const kept = { enableSoftDelete: true, enablePurgeProtection: true, softDeleteRetentionInDays: 90 };
  expect(propertiesOf(production, "KeyVault/vaults")).toMatchObject(kept);
});

test("Existing resources are used in their own groups instead of new ones", () => {
  const table = onlyOf(existing, "OperationalInsights/workspaces/tables");
  expect(table.id).toMatch(/\/rg-logs\/.*\/workspaces\/log-central\/tables\/VmrGatewayMetrics_CL$/);
  const api = onlyOf(existing, "ApiManagement/service/apis");
  expect(api.id).toMatch(/\/rg-shared\/.*\/service\/apim-shared\/apis\/vmr-gateway-existing$/);
  const rules = allOf(existing, "Insights/scheduledQueryRules").map(({ properties }) => properties["scopes"]);
  const logs = allOf(existing, "Insights/diagnosticSettings").map(
    ({ properties }) => properties["workspaceId"],
  );
  const { WorkspaceResourceId } = propertiesOf(existing, "Insights/components");
  expect(new Set([...rules.flat(), ...logs, WorkspaceResourceId])).toEqual(
    new Set(table.id.split("/tables/", 1)),
  );
  expect(propertiesOf(existing, "Web/sites")["virtualNetworkSubnetId"]).toMatch(/\/vnet-hub\/subnets\/app$/);
  for (const type of ["OperationalInsights/workspaces", "ApiManagement/service", "Network/virtualNetworks"])
    expect([type, allOf(existing, type)]).toEqual([type, []]);
});

test("The app runs on the project's version of Node, with the strategy and sizes of the values", () => {
  const usual = {
    strategy: "RollingUpdate",
    maximum: 4,
    memory: 2048,
    alwaysReady: [],
    concurrency: 500,
    zones: false,
  };
  const ready = [{ name: "http", instanceCount: 3 }];
  const large = {
    strategy: "Recreate",
    maximum: 40,
    memory: 512,
    alwaysReady: ready,
    concurrency: 1000,
    zones: false,
  };
  const expected = new Map([
    ["production", { ...usual, zones: true }],
    ["existing", large],
  ]);
  for (const [name, snapshot] of everySnapshot) {
    const { functionAppConfig } = propertiesOf(snapshot, "Web/sites");
    const { strategy, maximum, memory, alwaysReady, concurrency, zones } = expected.get(name) ?? usual;
    expect(functionAppConfig).toMatchObject({
      siteUpdateStrategy: { type: strategy },
      runtime: { name: "node", version: manifest.engines.node.replace(">=", "") },
      scaleAndConcurrency: {
        maximumInstanceCount: maximum,
        instanceMemoryMB: memory,
        alwaysReady,
        triggers: { http: { perInstanceConcurrency: concurrency } },
      },
    });
    const { sku, properties } = onlyOf(snapshot, "Web/serverfarms");
    expect([name, sku, properties["zoneRedundant"]]).toEqual([
      name,
      { name: "FC1", tier: "FlexConsumption" },
      zones,
    ]);
    const bytes = Number(settingsOf(snapshot)["FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"]);
    const isSmaller = bytes * concurrency < (memory * 1024 * 1024) / 2;
    expect([name, isSmaller, bytes > maxBodyBytes]).toEqual([name, true, memory > 512]);
  }
  // Without API Management, the app's host responds to the widget's preflight requests.
  const cors = [development, testing].map((one) => propertiesOf(one, "Web/sites")["siteConfig"].cors);
  expect(cors).toEqual([{ allowedOrigins: ["https://widget-dev.example.com"] }, null]);
});

describe("The app settings", () => {
  const reference = /\(SecretUri=\{0\}secrets\/\{1\}\)'.*\/kv-vmr-\w+', '[\d-]+'\)\.vaultUri, '([A-Z-]+)'/;
  const secretsOf = (snapshot: Snapshot) =>
    Object.entries(settingsOf(snapshot)).flatMap(([name, value]) => {
      const [, secret] = reference.exec(value) ?? [];
      if (secret !== undefined) expect(secret).toBe(name.replaceAll("_", "-"));
      return secret === undefined ? [] : [name];
    });

  test("Contain a reference to the vault for each secret that the environment uses", () => {
    const always = ["EVENT_SINK_PASSWORD", "ROOM_HOST_PIN"];
    expect(new Set(secretsOf(production))).toEqual(new Set([...always, "PLATFORM_PASSWORD"]));
    const ofExisting = [...always, "EVENT_SINK_PREVIOUS_PASSWORD", "PLATFORM_OAUTH_PRIVATE_KEY"];
    expect(new Set(secretsOf(existing))).toEqual(new Set(ofExisting));
  });

  test("Reach storage and logs as the app's identity, and have the defaults of deployments", () => {
    const clientId = expect.stringMatching(/id-vmr-test', '[\d-]+'\)\.clientId/);
    expect(settingsOf(testing)).toMatchObject({
      AzureWebJobsStorage__blobServiceUri: expect.stringMatching(/\.blob\)\]$/),
      AzureWebJobsStorage__queueServiceUri: expect.stringMatching(/\.queue\)\]$/),
      AzureWebJobsStorage__tableServiceUri: expect.stringMatching(/\.table\)\]$/),
      AzureWebJobsStorage__clientId: clientId,
      APPLICATIONINSIGHTS_AUTHENTICATION_STRING: expect.stringMatching(/;Authorization=AAD', .*id-vmr-test'/),
      GATEWAY_NAME: "test",
      POOL_READY_DELAY_SECONDS: "90",
    });
    expect(settingsOf(existing)).toMatchObject({ POOL_READY_DELAY_SECONDS: "120" });
  });

  test.each(everySnapshot)("Of %s are accepted by the app once Azure has resolved them", (_, snapshot) => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const secrets: Readonly<Record<string, string>> = {
      ROOM_HOST_PIN: "2468",
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
