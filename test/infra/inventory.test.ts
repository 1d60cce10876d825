/** Which resources each environment has, by type and name: nothing is missing and nothing comes in unseen. */
import { readdirSync } from "node:fs";
import { parse } from "node:path";
import { describe, expect, it } from "vitest";
import { toPlain } from "../support/infra/bicep/resource.ts";
import { createRecordContainer, queueNames } from "../support/infra/code-facts.ts";
import { deployedWith, environmentNames, environments, inventoryOf } from "../support/infra/environments.ts";
import { operationsOfTheApi } from "../support/infra/policy-table.ts";

const short = { development: "dev", test: "test", production: "prod" } as const;

const operations = [...operationsOfTheApi(environments.test).keys()];
const alertNames = readdirSync("infra/alerts").map((file) => parse(file).name);
const zones = [
  "privatelink.azurewebsites.net",
  "privatelink.blob.core.windows.net",
  "privatelink.queue.core.windows.net",
  "privatelink.table.core.windows.net",
  "privatelink.vaultcore.azure.net",
];

const everywhere = (name: string): string[] => [
  `Resources/resourceGroups rg-vmr-gateway-${name}`,
  `ManagedIdentity/userAssignedIdentities id-vmr-${name}`,
  // Three on the storage account, one each on rule, component and vault, and one for the person who sets secrets.
  ...Array.from({ length: 7 }, () => "Authorization/roleAssignments <guid>"),
  `OperationalInsights/workspaces log-vmr-${name}`,
  `OperationalInsights/workspaces/tables log-vmr-${name}/VmrGatewayMetrics_CL`,
  `Insights/dataCollectionRules dcr-vmr-${name}`,
  `Insights/components appi-vmr-${name}`,
  ...Array.from({ length: 3 }, () => "Insights/diagnosticSettings audit"),
  "Insights/diagnosticSettings host-logs",
  "Insights/workbooks <guid>",
  "KeyVault/vaults kv-vmr-<hash>",
  "Storage/storageAccounts stvmr<hash>",
  "Storage/storageAccounts/blobServices stvmr<hash>/default",
  "Storage/storageAccounts/blobServices/containers stvmr<hash>/default/app-package",
  `Storage/storageAccounts/blobServices/containers stvmr<hash>/default/${createRecordContainer}`,
  "Storage/storageAccounts/managementPolicies stvmr<hash>/default",
  "Storage/storageAccounts/queueServices stvmr<hash>/default",
  ...Object.values(queueNames).map(
    (queue) => `Storage/storageAccounts/queueServices/queues stvmr<hash>/default/${queue}`,
  ),
  `Web/serverfarms plan-vmr-${name}`,
  `Web/sites func-vmr-${name}-<hash>`,
  `Web/sites/basicPublishingCredentialsPolicies func-vmr-${name}-<hash>/ftp`,
  `Web/sites/basicPublishingCredentialsPolicies func-vmr-${name}-<hash>/scm`,
  `Web/sites/config func-vmr-${name}-<hash>/appsettings`,
];

const apiManagement = (name: string): string[] => {
  const api = `apim-vmr-${name}-<hash>/vmr-gateway-${name}`;
  return [
    `ApiManagement/service apim-vmr-${name}-<hash>`,
    `ApiManagement/service/loggers apim-vmr-${name}-<hash>/azuremonitor`,
    `ApiManagement/service/apis ${api}`,
    `ApiManagement/service/apis/diagnostics ${api}/azuremonitor`,
    `ApiManagement/service/apis/policies ${api}/policy`,
    `ApiManagement/service/apis/operations ${api}/health-check-head`,
    ...operations.map(
      (operation) => `ApiManagement/service/apis/operations/policies ${api}/${operation}/policy`,
    ),
    "Insights/diagnosticSettings gateway-logs",
  ];
};

const alerts = (name: string): string[] => [
  `Insights/actionGroups ag-func-vmr-${name}-<hash>-routine`,
  `Insights/actionGroups ag-func-vmr-${name}-<hash>-urgent`,
  `Insights/webtests func-vmr-${name}-<hash>-health`,
  ...alertNames.map((alert) => `Insights/scheduledQueryRules func-vmr-${name}-<hash>-${alert}`),
];

const network = (name: string): string[] => [
  `Network/networkSecurityGroups nsg-vnet-vmr-${name}`,
  `Network/virtualNetworks vnet-vmr-${name}`,
  `Network/natGateways nat-vmr-${name}`,
  `Network/publicIPAddresses ip-nat-vmr-${name}`,
];

const privateEndpoints = [
  ...zones.map((zone) => `Network/privateDnsZones ${zone}`),
  ...zones.map((zone) => `Network/privateDnsZones/virtualNetworkLinks ${zone}/gateway`),
  ...["app", "blob", "queue", "table", "vault"].flatMap((name) => [
    `Network/privateEndpoints pe-${name}`,
    `Network/privateEndpoints/privateDnsZoneGroups pe-${name}/default`,
  ]),
];

const expected = {
  development: everywhere("dev"),
  test: [...everywhere("test"), ...apiManagement("test"), ...alerts("test")],
  production: [
    ...everywhere("prod"),
    ...apiManagement("prod"),
    ...alerts("prod"),
    ...network("prod"),
    ...privateEndpoints,
    "Authorization/locks production",
    "Consumption/budgets budget-vmr-prod",
  ],
};

describe.each(environmentNames)("The %s environment", (name) => {
  const { resources, outputs } = environments[name];

  it("has exactly the resources that it needs", () => {
    expect(inventoryOf(environments[name])).toEqual(expected[name].toSorted());
  });

  it("has everything in its one resource group", () => {
    const group = `/resourceGroups/rg-vmr-gateway-${short[name]}`;
    expect(resources.filter(({ id }) => !id.includes(group)).map(({ id }) => id)).toEqual([]);
  });

  it("has the environment's region and tags on everything that has any", () => {
    const bodies = resources.map(({ fields }): unknown => toPlain(fields.body)).map(Object);
    const locations = bodies.map(({ location }) => location ?? "global");
    expect(new Set(locations)).toEqual(new Set(["westeurope", "global"]));
    const tags = bodies.filter((body) => body.tags !== undefined).map((body) => body.tags);
    expect(tags.length).toBeGreaterThan(5);
    expect(new Set(tags.map((tag) => `${tag["azd-env-name"]} ${tag["environment-group"]}`))).toEqual(
      new Set([`${short[name]} ${name}`]),
    );
  });

  it("gives out what the workflow and the hooks read", () => {
    const host =
      name === "development"
        ? "func-vmr-dev-<hash>.azurewebsites"
        : `apim-vmr-${short[name]}-<hash>.azure-api`;
    const plain = JSON.parse(JSON.stringify(outputs).replaceAll(/-[0-9a-f]{13}\b/g, "-<hash>"));
    expect(plain).toEqual({
      AZURE_RESOURCE_GROUP: `rg-vmr-gateway-${short[name]}`,
      FUNCTION_APP_NAME: `func-vmr-${short[name]}-<hash>`,
      KEY_VAULT_NAME: "kv-vmr-<hash>",
      HEALTH_URL: `https://${host}.example.com/public/health`,
      OUTBOUND_ADDRESS: name === "production" ? "address of ip-nat-vmr-prod" : "",
    });
  });
});

it("Uses an existing API Management service in its own resource group", () => {
  const existing =
    "/subscriptions/00000000-0000-4000-8000-00000000f002/resourceGroups/rg-shared/providers/Microsoft.ApiManagement/service/apim-shared";
  const { resources, outputs } = deployedWith("test", {
    apiManagement: "existing",
    existingApiManagementId: existing,
    apiPath: "rooms",
  });
  const services = resources.filter(({ fields }) => fields.type === "Microsoft.ApiManagement/service");
  expect(services.map(({ id, fields }) => [id, fields.isExisting])).toEqual([[existing, true]]);
  expect(outputs["HEALTH_URL"]).toBe("https://apim-shared.azure-api.example.com/rooms/public/health");
});

it("Uses an existing workspace in its own resource group, with the table in it", () => {
  const existing =
    "/subscriptions/00000000-0000-4000-8000-00000000f002/resourceGroups/rg-logs/providers/Microsoft.OperationalInsights/workspaces/log-shared";
  const { resources } = deployedWith("test", { existingWorkspaceId: existing });
  const ids = resources.map(({ id }) => id).filter((id) => id.includes("OperationalInsights"));
  expect(ids).toEqual([existing, `${existing}/tables/VmrGatewayMetrics_CL`]);
});
