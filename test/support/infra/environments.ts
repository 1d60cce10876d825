/** The three environments as they would be deployed, and ways to find resources in them. */
import { join } from "node:path";
import { type Deployment, deployMain, deployWith, readParameters } from "./bicep/deployment.ts";
import { type Resource, toPlain } from "./bicep/resource.ts";
import type { ObjectValue } from "./bicep/values.ts";

export const environmentNames = ["development", "test", "production"] as const;
export type EnvironmentName = (typeof environmentNames)[number];

const fileOf = (name: EnvironmentName): string => join("infra", "environments", `${name}.bicepparam`);

export const environments: Readonly<Record<EnvironmentName, Deployment>> = {
  development: deployWith(fileOf("development")),
  test: deployWith(fileOf("test")),
  production: deployWith(fileOf("production")),
};

/** An environment with other values of some parameters. */
export function deployedWith(name: EnvironmentName, changes: ObjectValue): Deployment {
  return deployMain({ ...readParameters(fileOf(name)), ...changes });
}

/** The short names of the resource types that tests ask for. */
const types = {
  actionGroup: "Microsoft.Insights/actionGroups",
  alertRule: "Microsoft.Insights/scheduledQueryRules",
  api: "Microsoft.ApiManagement/service/apis",
  apiManagement: "Microsoft.ApiManagement/service",
  apiPolicy: "Microsoft.ApiManagement/service/apis/policies",
  apiDiagnostics: "Microsoft.ApiManagement/service/apis/diagnostics",
  app: "Microsoft.Web/sites",
  appSettings: "Microsoft.Web/sites/config",
  budget: "Microsoft.Consumption/budgets",
  container: "Microsoft.Storage/storageAccounts/blobServices/containers",
  lifecycle: "Microsoft.Storage/storageAccounts/managementPolicies",
  dataCollectionRule: "Microsoft.Insights/dataCollectionRules",
  diagnostics: "Microsoft.Insights/diagnosticSettings",
  dnsLink: "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
  dnsZone: "Microsoft.Network/privateDnsZones",
  identity: "Microsoft.ManagedIdentity/userAssignedIdentities",
  insights: "Microsoft.Insights/components",
  lock: "Microsoft.Authorization/locks",
  namedValue: "Microsoft.ApiManagement/service/namedValues",
  natGateway: "Microsoft.Network/natGateways",
  network: "Microsoft.Network/virtualNetworks",
  operation: "Microsoft.ApiManagement/service/apis/operations",
  operationPolicy: "Microsoft.ApiManagement/service/apis/operations/policies",
  plan: "Microsoft.Web/serverfarms",
  privateEndpoint: "Microsoft.Network/privateEndpoints",
  publicAddress: "Microsoft.Network/publicIPAddresses",
  publishingPassword: "Microsoft.Web/sites/basicPublishingCredentialsPolicies",
  queue: "Microsoft.Storage/storageAccounts/queueServices/queues",
  resourceGroup: "Microsoft.Resources/resourceGroups",
  roleAssignment: "Microsoft.Authorization/roleAssignments",
  storage: "Microsoft.Storage/storageAccounts",
  table: "Microsoft.OperationalInsights/workspaces/tables",
  vault: "Microsoft.KeyVault/vaults",
  webTest: "Microsoft.Insights/webtests",
  workbook: "Microsoft.Insights/workbooks",
  workspace: "Microsoft.OperationalInsights/workspaces",
  zoneGroup: "Microsoft.Network/privateEndpoints/privateDnsZoneGroups",
} as const;
type Kind = keyof typeof types;

/** The resources of a kind that the deployment makes; existing ones that it refers to are not among them. */
export function allOf({ resources }: Deployment, kind: Kind): Resource[] {
  return resources.filter(({ fields }) => fields.type === types[kind] && !fields.isExisting);
}

/** The only resource of a kind. Throws an Error if there are more or none. */
export function onlyOf(deployment: Deployment, kind: Kind): Resource {
  const [found, ...others] = allOf(deployment, kind);
  if (!found || others.length > 0)
    throw new Error(`There are ${others.length + (found ? 1 : 0)} resources of the kind ${kind}`);
  return found;
}

/** A resource without its name, tags and location, which one test checks for all of them. */
export function bodyOf(resource: Resource): Readonly<Record<string, unknown>> {
  const body: unknown = toPlain(resource.fields.body);
  const entries = Object.entries(body ?? {}).filter(([key]) => !["name", "tags", "location"].includes(key));
  return Object.fromEntries(entries);
}

/** The `properties` of a resource. */
export function propertiesOf(resource: Resource): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(bodyOf(resource)["properties"] ?? {}));
}

/** Every resource that a deployment makes, as `type name`, without the hash that makes names unique. */
export function inventoryOf({ resources }: Deployment): string[] {
  return resources
    .filter(({ fields }) => !fields.isExisting)
    .map(({ fields }) => `${fields.type.replace("Microsoft.", "")} ${withoutHash(fields.name)}`)
    .toSorted();
}

export function withoutHash(text: string): string {
  return text.replaceAll(/guid [0-9a-f]{12}/g, "<guid>").replaceAll(/(?<=-|stvmr)[0-9a-f]{13}\b/g, "<hash>");
}
