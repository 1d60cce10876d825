/** Connects to a deployment, as whoever is signed in to the Azure CLI. */
import { AzureCliCredential, type TokenCredential } from "@azure/identity";
import jsonwebtoken from "jsonwebtoken";
import * as z from "zod";
import { openQueues } from "../../../src/lib/azure/storage-queue.ts";
import { parseJson } from "../../../src/lib/json.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { isLoopback } from "../../../src/lib/settings/formats.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { screenTime } from "../../terminal/format.ts";
import { UnreachableError } from "../outcomes.ts";
import { type AzureApi, createAzureApi, tokenFor } from "./azure-api.ts";
import { createAzureLog, workspaceRole } from "./azure-log.ts";
import {
  alertLimitsSchema,
  type DeploymentNames,
  defaultLimits,
  type Environment,
  openPlatform,
  type Target,
} from "./target.ts";

const tagsSchema = z.record(z.string(), z.string()).nullish();
// https://learn.microsoft.com/rest/api/appservice/web-apps/get
const appSchema = z.object({
  name: z.string(),
  tags: tagsSchema,
  properties: z.object({ defaultHostName: z.string(), lastModifiedTimeUtc: z.string().optional() }),
});
const appsSchema = z.object({ value: z.array(appSchema.pick({ name: true, tags: true })) });
const sitesVersion = "api-version=2024-04-01";
const ofApp = (subject: string) => ({ subject, role: "Website Contributor on the function app" });
const settingsSchema = z.object({ properties: z.record(z.string(), z.string()) });
// https://learn.microsoft.com/rest/api/appservice/web-apps/get-app-settings-key-vault-references
const referencesSchema = z.object({
  value: z.array(z.object({ name: z.string(), properties: z.object({ status: z.string().nullish() }) })),
});
// What infra/app.bicep writes.
const limitsSchema = alertLimitsSchema.catch(defaultLimits);
const workspacesSchema = z.object({ value: z.array(z.object({ id: z.string(), tags: tagsSchema })) });
// The Azure CLI may need a quarter of a minute on a slow computer.
const cliMilliseconds = 60_000;

/** Throws UnreachableError if the deployment cannot be read. */
export async function connectToDeployment(names: DeploymentNames, environment: Environment): Promise<Target> {
  // Never the machine's own identity, which DefaultAzureCredential would prefer; and in the tenant of the subscription.
  const credential = new AzureCliCredential({
    subscription: names.subscription,
    processTimeoutInMs: cliMilliseconds,
  });
  const resourceManagerUrl = environment["OPS_RESOURCE_MANAGER_URL"] ?? "https://management.azure.com";
  const resourceManager = createAzureApi(resourceManagerUrl, credential);
  const logAnalyticsUrl = environment["OPS_LOG_ANALYTICS_URL"] ?? "https://api.loganalytics.azure.com";
  const logAnalytics = createAzureApi(logAnalyticsUrl, credential);
  const groupId = `/subscriptions/${names.subscription}/resourceGroups/${names.resourceGroup}`;
  const appName = names.app ?? (await findApp(resourceManager, groupId, names.environment));
  const appId = `${groupId}/providers/Microsoft.Web/sites/${appName}`;
  const pathOf = (path: string) => `${appId}${path}?${sitesVersion}`;
  const [appSettings, app] = await Promise.all([
    // By name; secrets are references to the vault.
    resourceManager(pathOf("/config/appsettings/list"), settingsSchema, ofApp("the settings of the app"), {}),
    resourceManager(pathOf(""), appSchema, ofApp("the function app")),
  ]);
  const environmentTag = app.tags?.["vmr-gateway"];
  const workspaceId = names.workspaceId ?? (await findWorkspace(resourceManager, groupId, environmentTag));
  const { settings, hasPlatformLogin } = toOperatorSettings(appSettings.properties, environment);
  // Deployments and changes of settings restart the app.
  const changedAt = app.properties.lastModifiedTimeUtc;
  const appUrl = `https://${app.properties.defaultHostName}`;
  const healthUrl = names.healthUrl ?? app.tags?.["vmr-gateway-health"];
  const gatewayUrl = healthUrl?.replace(/\/public\/health$/, "") ?? appUrl;
  const apiName = environmentTag && `vmr-gateway-${environmentTag}`;
  const log = createAzureLog(logAnalytics, workspaceId, { app: appName, apiName });
  return {
    name: names.environment === undefined ? appName : `${appName} (environment ${names.environment})`,
    since: changedAt && `last changed ${screenTime(changedAt.replace(/Z?$/, "Z"))}`,
    gatewayUrl,
    settings,
    limits: limitsSchema.parse(parseJson(appSettings.properties["ALERT_LIMITS"] ?? "")),
    clock: systemClock,
    queues: openQueues({ storage: settings.storage, credential }),
    // Without API Management, it answers no call itself.
    log: gatewayUrl === appUrl ? { ...log, answeredByApiManagement: async () => [] } : log,
    platform: hasPlatformLogin ? openPlatform(settings.platform) : undefined,
    unresolvedSecrets: async () =>
      findUnresolvedSecrets(resourceManager, pathOf("/config/configreferences/appsettings")),
    operatorId: async () => fetchOperatorId(resourceManagerUrl, credential),
  };
}

/** Returns the names of the settings whose references to the vault the app cannot resolve. */
async function findUnresolvedSecrets(api: AzureApi, path: string): Promise<string[]> {
  const { value } = await api(path, referencesSchema, ofApp("the state of the app's secrets"));
  return value.filter(({ properties }) => properties.status !== "Resolved").map(({ name }) => name);
}

/** Returns the app with the tag of the environment, as infra/deploy.sh does. */
async function findApp(api: AzureApi, groupId: string, environment = ""): Promise<string> {
  const path = `${groupId}/providers/Microsoft.Web/sites?${sitesVersion}`;
  const { value } = await api(path, appsSchema, ofApp("the function apps of the resource group"));
  const [app, ...others] = value.filter(({ tags }) => tags?.["vmr-gateway"] === environment);
  if (app && others.length === 0) return app.name;
  const tag = `vmr-gateway=${environment}`;
  throw new UnreachableError(`The resource group must have exactly one app with the tag ${tag}.`);
}

/** Returns the workspace of the environment: the one with its tag, or the only one of the resource group. */
async function findWorkspace(api: AzureApi, groupId: string, environmentTag: string | undefined) {
  const path = `${groupId}/providers/Microsoft.OperationalInsights/workspaces?api-version=2023-09-01`;
  const subject = { subject: "the log workspace of the resource group", role: workspaceRole };
  const { value } = await api(path, workspacesSchema, subject);
  const tagged = value.filter(({ tags }) => tags?.["vmr-gateway"] === environmentTag);
  const [workspace, ...others] = tagged.length > 0 ? tagged : value;
  if (workspace && others.length === 0) return workspace.id;
  throw new UnreachableError(
    "The resource group must have exactly one log workspace, or one with the tag of the environment. Otherwise, set " +
      "LOG_WORKSPACE_ID to the resource ID of the one that the gateway uses.",
  );
}

const logIns = [
  ["PLATFORM_USERNAME", "PLATFORM_PASSWORD"],
  ["PLATFORM_OAUTH_CLIENT_ID", "PLATFORM_OAUTH_PRIVATE_KEY", "PLATFORM_OAUTH_SCOPE"],
] as const;

/**
 * Returns the settings with the operator's own credentials for the platform, if the environment has them, and
 * with placeholders instead of the app's secrets. Throws UnreachableError if the settings are invalid.
 */
function toOperatorSettings(appSettings: Readonly<Record<string, string>>, environment: Environment) {
  const logIn = logIns.find((names) => names.slice(0, 2).every((name) => environment[name]));
  const isReference = (value: string) => value.startsWith("@Microsoft.KeyVault(");
  const values: Record<string, string | undefined> = { ...appSettings };
  for (const [name, value] of Object.entries(appSettings))
    if (isReference(value)) values[name] = placeholderOf(name);
  // The operator signs in as a person, not with the app's identity.
  delete values["AzureWebJobsStorage__credential"];
  delete values["AzureWebJobsStorage__clientId"];
  for (const name of logIns.flat()) delete values[name];
  const own = (logIn ?? logIns[0]).map((name) => [name, logIn ? environment[name] : "none"]);
  try {
    const settings = loadSettings({ ...values, ...Object.fromEntries(own) });
    return { settings, hasPlatformLogin: logIn !== undefined };
  } catch (error) {
    const faults = error instanceof Error ? error.message : "";
    throw new UnreachableError(`The gateway cannot run with its settings. ${faults}`, { cause: error });
  }
}

/** Never used. It only has the format that the setting requires. */
function placeholderOf(name: string): string {
  return name === "ROOM_HOST_PIN" ? "0000" : "placeholder-of-a-secret";
}

/** Returns the operator's object ID, which the directory puts into every token; a loopback API asks for no token. */
export async function fetchOperatorId(resourceManagerUrl: string, credential: TokenCredential) {
  if (isLoopback(resourceManagerUrl)) return undefined;
  const token = await tokenFor(`${resourceManagerUrl}/.default`, credential);
  return z.object({ oid: z.string() }).safeParse(jsonwebtoken.decode(token)).data?.oid;
}
