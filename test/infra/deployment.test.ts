/** What each environment would deploy: resources, role assignments and network access. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRecordContainer } from "../../src/lib/azure/blob-records.ts";
import { queueNames } from "../../src/lib/ports.ts";
import { deploy, readParameters } from "../support/infra/bicep/deployment.ts";
import type { Resource } from "../support/infra/bicep/values.ts";
import {
  allOf,
  deployed,
  environmentNames,
  onlyOf,
  propertiesOf,
  variablesOf,
  withoutHash,
} from "../support/infra/environments.ts";

const development = deployed("development");
const testing = deployed("test");
const production = deployed("production");
const environments = { development, test: testing, production };
const everyEnvironment = Object.entries(environments);

test("Every values file belongs to the environment of its name, and no two have the same values", () => {
  expect(environmentNames.toSorted()).toEqual(Object.keys(environments).toSorted());
  for (const name of environmentNames) expect(variablesOf(name)["AZURE_ENV_NAME"]).toBe(name);
  for (const key of ["AUTH_CLIENT_IDS", "PLATFORM_URL"]) {
    const values = environmentNames.map(
      (name) => JSON.parse(variablesOf(name)["GATEWAY_SETTINGS"] ?? "")[key],
    );
    expect(new Set(values).size).toBe(environmentNames.length);
  }
});

test("A missing value is named", () => {
  const { GATEWAY_SETTINGS: _, ...rest } = variablesOf("test");
  expect(() => readParameters(rest)).toThrow("GATEWAY_SETTINGS is missing");
});

describe("The parts of an environment", () => {
  const counts = (type: string) => everyEnvironment.map(([, deployment]) => allOf(deployment, type).length);

  test.each([
    ["Resources/resourceGroups", 1, 1, 1],
    ["ManagedIdentity/userAssignedIdentities", 2, 3, 3],
    ["Storage/storageAccounts", 2, 2, 2],
    ["KeyVault/vaults", 1, 1, 1],
    ["Web/sites", 1, 1, 1],
    ["OperationalInsights/workspaces", 1, 1, 1],
    ["Insights/workbooks", 1, 1, 1],
    ["ApiManagement/service", 0, 1, 1],
    ["ApiManagement/service/namedValues", 0, 1, 0],
    ["Insights/scheduledQueryRules", 0, 8, 8],
    ["Insights/webtests", 0, 1, 1],
    ["Insights/actionGroups", 0, 2, 2],
    ["EventGrid/systemTopics/eventSubscriptions", 0, 1, 1],
    ["Network/virtualNetworks", 0, 0, 1],
    ["Network/natGateways", 0, 0, 1],
    ["Network/privateEndpoints", 0, 0, 6],
    ["Network/privateDnsZones", 0, 0, 5],
  ])("%s: %i in development, %i in test, %i in production", (type, ...expected) => {
    expect(counts(type)).toEqual(expected);
  });

  test("Have no alerts and require no secret of API Management in the first run", () => {
    const first = deployed("test", { FIRST_RUN: "true" });
    for (const type of ["Insights/scheduledQueryRules", "Insights/webtests", "EventGrid/systemTopics"])
      expect(allOf(first, type)).toEqual([]);
    expect(allOf(first, "ApiManagement/service/namedValues")).toEqual([]);
    expect(propertiesOf(onlyOf(first, "Web/sites/config"))).not.toHaveProperty("API_MANAGEMENT_SECRET");
  });

  test.each(everyEnvironment)(
    "Of %s are the same in an existing group, except for the group",
    (name, whole) => {
      const parts = deploy(readParameters(variablesOf(name)), "infra/gateway.bicep");
      const types = (resources: readonly Resource[]) => resources.map(({ type }) => type).toSorted();
      expect(types(parts.resources)).toEqual(
        types(whole.resources.filter(({ type }) => !type.endsWith("/resourceGroups"))),
      );
      const parameters = (file: string) =>
        [...readFileSync(file, "utf8").matchAll(/^param .*$/gm)].map(([line]) => line);
      expect(parameters("infra/main.bicep")).toEqual(parameters("infra/gateway.bicep"));
    },
  );

  test("Carry the tags of the environment, by which the teardown finds them", () => {
    const tagged = deployed("production", { TAGS: '{"cost-centre":"42"}' });
    const tags = tagged.resources.filter(({ body }) => "location" in body).map(({ body }) => body["tags"]);
    expect(tags.length).toBeGreaterThan(20);
    for (const tag of tags.slice(1))
      expect(tag).toMatchObject({ "cost-centre": "42", "vmr-gateway": "production" });
  });

  test("Include the queues and the container that the code names", () => {
    const lastNames = (type: string) => allOf(testing, type).map(({ name }) => name.split("/").at(-1) ?? "");
    expect(lastNames("Storage/storageAccounts/queueServices/queues").toSorted()).toEqual(
      Object.values(queueNames).toSorted(),
    );
    expect(lastNames("Storage/storageAccounts/blobServices/containers")).toContain(createRecordContainer);
    const rules = propertiesOf(onlyOf(testing, "Storage/storageAccounts/managementPolicies"))["policy"].rules;
    expect(rules.map((rule: { definition: unknown }) => rule.definition)).toEqual([
      {
        filters: { blobTypes: ["blockBlob"], prefixMatch: [`${createRecordContainer}/`] },
        actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 1 } } },
      },
    ]);
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
  const assignments = allOf(testing, "Authorization/roleAssignments").map((resource) => {
    const { principalId, roleDefinitionId } = propertiesOf(resource);
    const role = roles[String(roleDefinitionId).split("/").at(-1) ?? ""];
    const [scope = ""] = resource.id
      .split("/providers/Microsoft.Authorization")
      .map((id) => id.split("/").at(-1));
    return `${withoutHash(principalId)}: ${role} on ${withoutHash(scope ?? "")}`;
  });

  test("Each identity has exactly these roles", () => {
    expect(assignments.toSorted()).toEqual([
      "00000000-0000-4000-8000-00000000e201: Key Vault Secrets Officer on kv-vmr-<hash>",
      "id-vmr-test-api-management.properties.principalId: Key Vault Secrets User on kv-vmr-<hash>",
      "id-vmr-test-package.properties.principalId: Storage Blob Data Contributor on stvmrpkg<hash>",
      "id-vmr-test.properties.principalId: Key Vault Secrets User on kv-vmr-<hash>",
      "id-vmr-test.properties.principalId: Monitoring Metrics Publisher on appi-vmr-test",
      "id-vmr-test.properties.principalId: Monitoring Metrics Publisher on dcr-vmr-test",
      "id-vmr-test.properties.principalId: Storage Blob Data Owner on stvmr<hash>",
      "id-vmr-test.properties.principalId: Storage Queue Data Contributor on stvmr<hash>",
      "id-vmr-test.properties.principalId: Storage Table Data Contributor on stvmr<hash>",
    ]);
  });

  test("The workflow's identity may assign exactly these roles", () => {
    const condition = readFileSync("infra/role-condition.txt", "utf8");
    const lists = [...condition.matchAll(/GuidEquals \{([^}]*)\}/g)].map(([, list = ""]) => list.split(", "));
    expect(lists.map((list) => list.toSorted())).toEqual([1, 2].map(() => Object.keys(roles).toSorted()));
  });

  test("The app runs as one identity, and Azure stores its package with another one, in another account", () => {
    const app = onlyOf(testing, "Web/sites");
    const { keyVaultReferenceIdentity, functionAppConfig } = propertiesOf(app);
    expect(keyVaultReferenceIdentity).toMatch(/\/id-vmr-test$/);
    const { value, authentication } = functionAppConfig.deployment.storage;
    expect(authentication.userAssignedIdentityResourceId).toMatch(/\/id-vmr-test-package$/);
    expect(withoutHash(value)).toBe("stvmrpkg<hash>.properties.primaryEndpoints.blobapp-package");
  });

  test.each(everyEnvironment)(
    "Nothing in %s accepts a key or a password, and only production protects its vault",
    (name, deployment) => {
      for (const account of allOf(deployment, "Storage/storageAccounts"))
        expect(propertiesOf(account)).toMatchObject({
          allowSharedKeyAccess: false,
          allowBlobPublicAccess: false,
        });
      const { enableRbacAuthorization, enablePurgeProtection } = propertiesOf(
        onlyOf(deployment, "KeyVault/vaults"),
      );
      expect([enableRbacAuthorization, enablePurgeProtection]).toEqual([
        true,
        name === "production" ? true : undefined,
      ]);
      expect(propertiesOf(onlyOf(deployment, "Insights/components"))).toMatchObject({
        DisableLocalAuth: true,
      });
      const passwords = allOf(deployment, "Web/sites/basicPublishingCredentialsPolicies");
      expect(passwords.map((resource) => [resource.name.split("/").at(-1), propertiesOf(resource)])).toEqual([
        ["ftp", { allow: false }],
        ["scm", { allow: false }],
      ]);
    },
  );
});

describe("The network of production", () => {
  const closable = ["Storage/storageAccounts", "KeyVault/vaults", "Web/sites"];
  const closed = closable.flatMap((type) => allOf(production, type));
  const network = onlyOf(production, "Network/virtualNetworks");
  const endpoints = allOf(production, "Network/privateEndpoints").map((resource) => {
    const { subnet, privateLinkServiceConnections } = propertiesOf(resource);
    const [{ properties }] = privateLinkServiceConnections;
    const zones = allOf(production, "Network/privateEndpoints/privateDnsZoneGroups").filter(({ name }) =>
      name.startsWith(`${resource.name}/`),
    );
    const zone = zones.map(
      (group) => propertiesOf(group)["privateDnsZoneConfigs"][0].properties.privateDnsZoneId,
    );
    return {
      subnet: subnet.id,
      target: properties.privateLinkServiceId,
      group: properties.groupIds.join(),
      zone: zone.join(),
    };
  });

  test("Closes storage, vault and app, which are open in the other environments", () => {
    const access = (deployment: typeof production) =>
      closable.flatMap((type) =>
        allOf(deployment, type).map((resource) => {
          const { publicNetworkAccess, networkAcls } = propertiesOf(resource);
          return [publicNetworkAccess, networkAcls?.defaultAction];
        }),
      );
    const [open, shut] = [
      ["Enabled", "Allow"],
      ["Disabled", "Deny"],
    ];
    expect(access(production)).toEqual([shut, shut, shut, ["Disabled", undefined]]);
    for (const one of [development, testing])
      expect(access(one)).toEqual([open, open, open, ["Enabled", undefined]]);
  });

  test("Lets services of Azure into the one account whose lifecycle rule deletes expired records", () => {
    const accounts = allOf(production, "Storage/storageAccounts");
    const [rule] = allOf(production, "Storage/storageAccounts/managementPolicies");
    expect(
      accounts.map((account) => [
        rule?.name === `${account.name}/default`,
        propertiesOf(account)["networkAcls"].bypass,
      ]),
    ).toEqual([
      [true, "AzureServices"],
      [false, "None"],
    ]);
  });

  test("Has an endpoint for each service that it closes, with the zone of its name", () => {
    const zones: Readonly<Record<string, string>> = {
      blob: "privatelink.blob.core.windows.net",
      queue: "privatelink.queue.core.windows.net",
      table: "privatelink.table.core.windows.net",
      vault: "privatelink.vaultcore.azure.net",
      sites: "privatelink.azurewebsites.net",
    };
    const made = allOf(production, "Network/privateDnsZones");
    const byTarget = Map.groupBy(endpoints, ({ target }) => withoutHash(target.split("/").at(-1)));
    expect([...byTarget].map(([target, found]) => [target, found.map(({ group }) => group)])).toEqual([
      ["stvmr<hash>", ["blob", "queue", "table"]],
      ["stvmrpkg<hash>", ["blob"]],
      ["kv-vmr-<hash>", ["vault"]],
      ["func-vmr-production-<hash>", ["sites"]],
    ]);
    expect([...byTarget.keys()].toSorted()).toEqual(
      closed.map(({ id }) => withoutHash(id.split("/").at(-1) ?? "")).toSorted(),
    );
    for (const { group, zone, subnet } of endpoints) {
      expect(subnet).toBe(`${network.id}/subnets/private-endpoints`);
      expect(made.map(({ id }) => id)).toContain(zone);
      expect(zone.endsWith(`/${zones[group]}`)).toBe(true);
    }
    const links = allOf(production, "Network/privateDnsZones/virtualNetworkLinks");
    expect(links.map((link) => propertiesOf(link)["virtualNetwork"].id)).toEqual(made.map(() => network.id));
  });

  test("Gives app, API Management and runner a subnet each, and app and runner the fixed address", () => {
    const { subnets } = propertiesOf(network);
    const rows = subnets.map(
      ({ name, properties }: { name: string; properties: ReturnType<typeof propertiesOf> }) => [
        name,
        properties["addressPrefix"],
        properties["delegations"]
          .map((one: { properties: { serviceName: string } }) => one.properties.serviceName)
          .join(),
        "natGateway" in properties,
        "networkSecurityGroup" in properties,
      ],
    );
    expect(rows).toEqual([
      ["app", "10.40.0.0/26", "Microsoft.App/environments", true, true],
      ["api-management", "10.40.0.64/26", "Microsoft.Web/serverFarms", false, true],
      ["private-endpoints", "10.40.0.128/26", "", false, true],
      ["runner", "10.40.0.192/26", "", true, true],
      ["AzureBastionSubnet", "10.40.1.0/26", "", false, false],
    ]);
    expect(propertiesOf(onlyOf(production, "Web/sites"))["virtualNetworkSubnetId"]).toBe(
      `${network.id}/subnets/app`,
    );
    const service = propertiesOf(onlyOf(production, "ApiManagement/service"));
    expect(service["virtualNetworkConfiguration"].subnetResourceId).toBe(
      `${network.id}/subnets/api-management`,
    );
    expect(onlyOf(production, "ApiManagement/service").body["sku"]).toEqual({
      name: "StandardV2",
      capacity: 1,
    });
    expect(onlyOf(testing, "ApiManagement/service").body["sku"]).toEqual({ name: "BasicV2", capacity: 1 });
  });

  test("Can be an existing one with its zones, and is then not created", () => {
    const hub = "/subscriptions/s/resourceGroups/hub";
    const existing = deployed("production", {
      EXISTING_APP_SUBNET_ID: `${hub}/subnet-of-app`,
      EXISTING_API_MANAGEMENT_SUBNET_ID: `${hub}/subnet-of-api-management`,
      EXISTING_ENDPOINT_SUBNET_ID: `${hub}/subnet-of-endpoints`,
      EXISTING_DNS_ZONES_GROUP_ID: `${hub}-dns`,
    });
    for (const type of ["virtualNetworks", "natGateways", "privateDnsZones"])
      expect(allOf(existing, `Network/${type}`)).toEqual([]);
    expect(propertiesOf(onlyOf(existing, "Web/sites"))["virtualNetworkSubnetId"]).toBe(
      `${hub}/subnet-of-app`,
    );
    const service = propertiesOf(onlyOf(existing, "ApiManagement/service"));
    expect(service["virtualNetworkConfiguration"].subnetResourceId).toBe(`${hub}/subnet-of-api-management`);
    const found = allOf(existing, "Network/privateEndpoints");
    expect(found.map((one) => propertiesOf(one)["subnet"].id)).toEqual(
      found.map(() => `${hub}/subnet-of-endpoints`),
    );
    const groups = allOf(existing, "Network/privateEndpoints/privateDnsZoneGroups");
    expect(groups).toHaveLength(6);
    for (const group of groups)
      expect(propertiesOf(group)["privateDnsZoneConfigs"][0].properties.privateDnsZoneId).toContain(
        `${hub}-dns/providers`,
      );
  });
});

describe("What exists already", () => {
  const ids = "/subscriptions/s/resourceGroups/shared/providers";
  const shared = deployed("test", {
    EXISTING_WORKSPACE_ID: `${ids}/Microsoft.OperationalInsights/workspaces/central`,
    API_MANAGEMENT: "existing",
    EXISTING_API_MANAGEMENT_ID: `${ids}/Microsoft.ApiManagement/service/common`,
  });

  test("Is used instead of a new workspace and a new service", () => {
    expect(allOf(shared, "OperationalInsights/workspaces")).toEqual([]);
    expect(allOf(shared, "ApiManagement/service")).toEqual([]);
    const table = onlyOf(shared, "OperationalInsights/workspaces/tables");
    expect(table.id).toBe(
      `${ids}/Microsoft.OperationalInsights/workspaces/central/tables/VmrGatewayMetrics_CL`,
    );
    const api = onlyOf(shared, "ApiManagement/service/apis");
    expect(api.id).toBe(`${ids}/Microsoft.ApiManagement/service/common/apis/vmr-gateway-test`);
    for (const rule of allOf(shared, "Insights/scheduledQueryRules"))
      expect(propertiesOf(rule)["scopes"]).toEqual([
        `${ids}/Microsoft.OperationalInsights/workspaces/central`,
      ]);
  });
});

describe("The function app", () => {
  test("Replaces its instances one by one, is spread over zones in production, and runs the project's version of Node", () => {
    const runtime = everyEnvironment.map(([, deployment]) => propertiesOf(onlyOf(deployment, "Web/sites")));
    for (const { functionAppConfig } of runtime)
      expect(functionAppConfig).toMatchObject({
        siteUpdateStrategy: { type: "RollingUpdate" },
        runtime: { name: "node", version: "24" },
        scaleAndConcurrency: { maximumInstanceCount: 4, instanceMemoryMB: 2048 },
      });
    // Without API Management, the app's host responds to the widget's preflight requests.
    expect(runtime.map(({ siteConfig }) => siteConfig.cors)).toEqual([
      { allowedOrigins: ["https://widget-dev.example.com"] },
      undefined,
      undefined,
    ]);
    const zones = everyEnvironment.map(
      ([, one]) => propertiesOf(onlyOf(one, "Web/serverfarms"))["zoneRedundant"],
    );
    expect(zones).toEqual([false, false, true]);
  });

  test("Stores each line once: no diagnostic setting repeats what Application Insights gets", () => {
    const settings = allOf(production, "Insights/diagnosticSettings").map((resource) => {
      const { logs, workspaceId } = propertiesOf(resource);
      expect(workspaceId).toMatch(/\/log-vmr-production$/);
      const of = resource.id.split("/providers/").at(-2)?.split("/").at(1) ?? "";
      return `${of}: ${logs.map((log: Record<string, unknown>) => log["category"] ?? log["categoryGroup"]).join(", ")}`;
    });
    expect(settings.toSorted()).toEqual([
      "service: GatewayLogs",
      "storageAccounts: StorageDelete",
      "storageAccounts: StorageWrite, StorageDelete",
      "vaults: audit",
    ]);
  });

  test("Has its rows kept and archived as long as the environment says", () => {
    const tables = allOf(production, "OperationalInsights/workspaces/tables");
    expect(tables.map(({ name }) => name.split("/").at(-1) ?? "").toSorted()).toEqual([
      "AppExceptions",
      "AppRequests",
      "AppTraces",
      "VmrGatewayMetrics_CL",
    ]);
    for (const table of tables)
      expect(propertiesOf(table)).toMatchObject({ retentionInDays: 90, totalRetentionInDays: 365 });
  });
});
