/** What each environment would deploy: resources, role assignments, network access and app settings. */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
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

const testing = snapshotOf("test");
const production = snapshotOf("production");
const existing = snapshotOf("existing");
const second = snapshotOf("second");
const everySnapshot = [...snapshots];
const propertiesOf = (snapshot: Snapshot, type: string) => onlyOf(snapshot, type).properties;
const settingsOf = (snapshot: Snapshot): Record<string, string> => propertiesOf(snapshot, "Web/sites/config");
const namesOf = (snapshot: Snapshot, type: string) => allOf(snapshot, type).map(({ id }) => lastOf(id));

/** A scenario or `every`, a type, a property, and the value of that property in every resource of the type. */
const facts = `
every       Storage/storageAccounts                       allowSharedKeyAccess         false
every       Storage/storageAccounts                       allowBlobPublicAccess        false
every       Storage/storageAccounts                       allowCrossTenantReplication  false
every       Storage/storageAccounts                       minimumTlsVersion            "TLS1_2"
every       Storage/storageAccounts                       supportsHttpsTrafficOnly     true
every       KeyVault/vaults                               enableRbacAuthorization      true
every       KeyVault/vaults                               enableSoftDelete             true
production  KeyVault/vaults                               enablePurgeProtection        true
production  KeyVault/vaults                               softDeleteRetentionInDays    90
every       Insights/components                           DisableLocalAuth             true
every       OperationalInsights/workspaces                features.disableLocalAuth    true
production  OperationalInsights/workspaces                retentionInDays              90
production  OperationalInsights/workspaces                workspaceCapping.dailyQuotaGb  -1
test        OperationalInsights/workspaces                workspaceCapping.dailyQuotaGb  5
every       Web/sites/basicPublishingCredentialsPolicies  allow                        false
every       Web/sites                                     httpsOnly                    true
every       Web/sites                                     siteConfig.minTlsVersion     "1.2"
development Web/sites                                     siteConfig.cors              {"allowedOrigins":["https://widget-dev.example.com"]}
test        Web/sites                                     siteConfig.cors              null
every       Web/sites                                     functionAppConfig.runtime.version  "${manifest.engines.node.replace(">=", "")}"
test        Web/sites                                     functionAppConfig.siteUpdateStrategy.type                      "RollingUpdate"
existing    Web/sites                                     functionAppConfig.siteUpdateStrategy.type                      "Recreate"
test        Web/sites                                     functionAppConfig.scaleAndConcurrency.instanceMemoryMB         2048
existing    Web/sites                                     functionAppConfig.scaleAndConcurrency.instanceMemoryMB         512
test        Web/sites                                     functionAppConfig.scaleAndConcurrency.maximumInstanceCount     4
existing    Web/sites                                     functionAppConfig.scaleAndConcurrency.maximumInstanceCount     40
test        Web/sites                                     functionAppConfig.scaleAndConcurrency.alwaysReady              []
existing    Web/sites                                     functionAppConfig.scaleAndConcurrency.alwaysReady              [{"instanceCount":3,"name":"http"}]
test        Web/sites                                     functionAppConfig.scaleAndConcurrency.triggers.http            {"perInstanceConcurrency":500}
existing    Web/sites                                     functionAppConfig.scaleAndConcurrency.triggers.http            {"perInstanceConcurrency":1000}
production  Web/serverfarms                               zoneRedundant                true
test        Web/serverfarms                               zoneRedundant                false
production  Network/privateDnsZones/virtualNetworkLinks   resolutionPolicy             "NxDomainRedirect"
second      Network/privateDnsZones/virtualNetworkLinks   resolutionPolicy             "NxDomainRedirect"
production  ApiManagement/service                         virtualNetworkType           "External"
test        ApiManagement/service                         virtualNetworkType           "None"`;
const rows = [...facts.matchAll(/^(\S+) +(\S+) +(\S+) +(\S+)$/gm)].map(([, ...columns]) => columns);
test.each(rows)("In %s, %s has the property %s: %s", (scenario = "", type = "", path = "", value = "") => {
  const chosen = everySnapshot.filter(([name]) => scenario === "every" || scenario === name);
  const resources = chosen.flatMap(([, snapshot]) => allOf(snapshot, type));
  const valueAt = (inner: unknown, name: string) => z.record(z.string(), z.unknown()).parse(inner)[name];
  const found = resources.map(({ properties }) =>
    JSON.stringify(path.split(".").reduce(valueAt, properties)),
  );
  expect(new Set(found)).toEqual(new Set([value]));
});

test.each(everySnapshot)(
  "All bodies together take less than half of an instance's memory in %s",
  (_, snapshot) => {
    const { instanceMemoryMB, triggers } = propertiesOf(snapshot, "Web/sites")["functionAppConfig"]
      .scaleAndConcurrency;
    const bytes = Number(settingsOf(snapshot)["FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"]);
    expect(bytes * triggers.http.perInstanceConcurrency).toBeLessThan((instanceMemoryMB * 1024 * 1024) / 2);
    expect(bytes > maxBodyBytes).toBe(instanceMemoryMB > 512);
  },
);

describe("The parts of an environment", () => {
  test("Carry the tags of the environment, by which the scripts find them", () => {
    const [group, ...others] = production.resources.filter((resource) => "location" in resource);
    expect(group?.tags).toEqual({ "cost-centre": "42" });
    expect(others.length).toBeGreaterThan(20);
    const own = { "cost-centre": "42", "vmr-gateway": "production" };
    for (const { tags } of others) expect(tags).toMatchObject(own);
    const health = everySnapshot.map(
      ([, one]) => onlyOf(one, "Web/sites").tags?.["vmr-gateway-health"] ?? "",
    );
    expect(health.map(withoutHash)).toEqual([
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
    expect(rule.definition).toMatchObject({
      filters: { prefixMatch: [`${createRecordContainer}/`] },
      actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 1 } } },
    });
  });

  test("Have the outputs that operators read, without a secret", () => {
    const names = "functionAppName healthUrl keyVaultName outboundAddress";
    expect(Object.keys(second.outputs).join(" ")).toBe(names);
    expect(second.outputs["outboundAddress"]).toContain("publicIPAddresses/ip-vmr-second");
    const values = everySnapshot.flatMap(([, { outputs }]) => Object.values(outputs)).join("\n");
    expect(values).not.toMatch(/list\w+\(|secret|password|connectionString/i);
  });

  test("Log calls and deletions", () => {
    const logs = allOf(production, "Insights/diagnosticSettings").map(({ id, properties }) => {
      const kinds: Record<string, unknown>[] = properties["logs"];
      const enabled = kinds.filter((kind) => kind["enabled"] === true);
      const names = enabled.map((kind) => kind["category"] ?? kind["categoryGroup"]);
      return `${withoutHash(id).split("/")[8]}: ${names.join()}`;
    });
    const ofAccounts = ["stvmrpkg<hash>: StorageWrite,StorageDelete", "stvmr<hash>: StorageDelete"];
    expect(logs).toEqual(["apim-vmr-production-<hash>: GatewayLogs", "kv-vmr-<hash>: audit", ...ofAccounts]);
  });

  test("That exist are used in their own groups instead of new ones", () => {
    const table = onlyOf(existing, "OperationalInsights/workspaces/tables");
    expect(table.id).toMatch(/\/rg-logs\/.*\/workspaces\/log-central\/tables\/VmrGatewayMetrics_CL$/);
    const api = onlyOf(existing, "ApiManagement/service/apis");
    expect(api.id).toMatch(/\/rg-shared\/.*\/service\/apim-shared\/apis\/vmr-gateway-existing$/);
    const rules = allOf(existing, "Insights/scheduledQueryRules").flatMap(
      ({ properties }) => properties["scopes"],
    );
    const logs = allOf(existing, "Insights/diagnosticSettings").map(
      ({ properties }) => properties["workspaceId"],
    );
    const { WorkspaceResourceId } = propertiesOf(existing, "Insights/components");
    const used = new Set([...rules, ...logs, WorkspaceResourceId]);
    expect(used).toEqual(new Set(table.id.split("/tables/", 1)));
    for (const type of ["OperationalInsights/workspaces", "ApiManagement/service", "Network/virtualNetworks"])
      expect([type, allOf(existing, type)]).toEqual([type, []]);
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

  test("Has its subnets with their rules, leaves through one fixed address, and resolves each zone", () => {
    const { id, properties } = onlyOf(production, "Network/virtualNetworks");
    const subnets: readonly Snapshot["resources"][number][] = properties["subnets"];
    const described = subnets.map(({ name, properties: own }) => {
      const delegation = own["delegations"].map(
        (one: Snapshot["resources"][number]) => one.properties["serviceName"],
      );
      const way = own["natGateway"] === null ? "closed" : lastOf(own["natGateway"].id);
      const group = own["networkSecurityGroup"] === null ? "no group" : "default rules";
      return [name, own["addressPrefix"], delegation, way, group, own["defaultOutboundAccess"]]
        .join(" ")
        .trim();
    });
    expect(described).toEqual([
      "app 10.40.0.0/26 Microsoft.App/environments nat-vmr-production default rules false",
      "api-management 10.40.0.64/26 Microsoft.Web/serverFarms closed default rules false",
      "private-endpoints 10.40.0.128/26  closed default rules false",
      "runner 10.40.0.192/26  nat-vmr-production default rules false",
      // Bastion's subnet has at least 64 addresses, and no group.
      "AzureBastionSubnet 10.40.1.0/26  closed no group false",
    ]);
    const address = onlyOf(production, "Network/publicIPAddresses");
    expect(propertiesOf(production, "Network/natGateways")["publicIpAddresses"]).toEqual([
      { id: address.id },
    ]);
    const linked = allOf(production, "Network/privateDnsZones/virtualNetworkLinks");
    expect(linked.map((link) => link.properties["virtualNetwork"].id)).toEqual(linked.map(() => id));
    const zones = linked.map((link) => String(link.id.split("/").at(-3)));
    expect(zones).toEqual(namesOf(production, "Network/privateDnsZones"));
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
      GC_MAX_MESSAGES: "10000",
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
