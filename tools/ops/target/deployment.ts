/** Connects to a deployment, as the person who is signed in to Azure. */
import { DefaultAzureCredential } from "@azure/identity";
import * as z from "zod";
import { openQueues } from "../../../src/lib/azure/storage-queue.ts";
import { UnreachableError } from "../outcomes.ts";
import { type AzureApi, createAzureApi } from "./azure-api.ts";
import { createAzureLog } from "./azure-log.ts";
import { readAppSettings, readUnresolvedSecrets, toOperatorSettings } from "./deployed-settings.ts";
import type { DeploymentNames, Environment } from "./deployment-names.ts";
import type { LogReader } from "./log-reader.ts";
import { fetchOperatorId, fetchOperatorToken } from "./operator-token.ts";
import { openPlatform } from "./platform.ts";
import type { Target } from "./target.ts";

const appSchema = z.object({ properties: z.object({ defaultHostName: z.string() }) });
const workspacesSchema = z.object({ value: z.array(z.object({ id: z.string() })) });
const fingerprintSchema = z.object({ fingerprint: z.string() });
const hoursOfFingerprint = 24;

/** Throws UnreachableError if the deployment cannot be read. */
export async function connectToDeployment(names: DeploymentNames, environment: Environment): Promise<Target> {
  const credential = new DefaultAzureCredential();
  const resourceManagerUrl = environment["OPS_RESOURCE_MANAGER_URL"] ?? "https://management.azure.com";
  const resourceManager = createAzureApi(resourceManagerUrl, credential);
  const logAnalytics = createAzureApi(
    environment["OPS_LOG_ANALYTICS_URL"] ?? "https://api.loganalytics.azure.com",
    credential,
  );
  const groupId = `/subscriptions/${names.subscription}/resourceGroups/${names.resourceGroup}`;
  const appId = `${groupId}/providers/Microsoft.Web/sites/${names.app}`;
  const [appSettings, workspaceId, gatewayUrl] = await Promise.all([
    readAppSettings(resourceManager, appId),
    names.workspaceId ?? findWorkspace(resourceManager, groupId),
    names.healthUrl?.replace(/\/public\/health$/, "") ?? findAddress(resourceManager, appId),
  ]);
  const { settings, hasPlatformLogin } = toOperatorSettings(appSettings, environment);
  const log = createAzureLog({ api: logAnalytics, workspaceId, app: names.app });
  return {
    name: names.app,
    isLocal: false,
    gatewayUrl,
    settings,
    queues: openQueues({ storage: settings.storage, credential }),
    log,
    platform: hasPlatformLogin ? openPlatform(settings.platform) : undefined,
    fingerprint: async () => loggedFingerprint(log),
    unresolvedSecrets: async () => readUnresolvedSecrets(resourceManager, appId),
    operatorId: async () => fetchOperatorId(resourceManagerUrl, credential),
    accessToken: async () => fetchOperatorToken(settings.bearer, environment),
  };
}

async function findWorkspace(api: AzureApi, groupId: string): Promise<string> {
  const { value } = await api({
    method: "GET",
    path: `${groupId}/providers/Microsoft.OperationalInsights/workspaces?api-version=2023-09-01`,
    schema: workspacesSchema,
    subject: "the log workspace of the resource group",
    role: "Log Analytics Reader on the workspace",
  });
  const [workspace] = value;
  if (!workspace)
    throw new UnreachableError(
      "The resource group has no log workspace. Give the resource ID of the one that the gateway uses: --workspace.",
    );
  return workspace.id;
}

async function findAddress(api: AzureApi, appId: string): Promise<string> {
  const { properties } = await api({
    method: "GET",
    path: `${appId}?api-version=2024-04-01`,
    schema: appSchema,
    subject: "the function app",
    role: "Website Contributor on the function app",
  });
  return `https://${properties.defaultHostName}`;
}

/** Each metrics run of the app logs the fingerprint of the rooms that it makes. The operator cannot compute it. */
async function loggedFingerprint(log: LogReader): Promise<string | undefined> {
  const lines = await log.lines({ hours: hoursOfFingerprint, events: ["metrics-collected"] });
  return fingerprintSchema.safeParse(lines.at(-1)?.fields).data?.fingerprint;
}
