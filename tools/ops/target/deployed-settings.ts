/** Reads those settings of a deployment that the operator may see. */
import * as z from "zod";
import { loadSettings, type Settings } from "../../../src/lib/settings/settings.ts";
import { UnreachableError } from "../outcomes.ts";
import type { AzureApi } from "./azure-api.ts";
import type { Environment } from "./deployment-names.ts";

const settingsSchema = z.object({ properties: z.record(z.string(), z.string()) });

// https://learn.microsoft.com/rest/api/appservice/web-apps/get-app-settings-key-vault-references
const referencesSchema = z.object({
  value: z.array(z.object({ name: z.string(), properties: z.object({ status: z.string().nullish() }) })),
});

export interface DeployedSettings {
  readonly settings: Settings;
  /** Whether the environment has credentials for the platform. */
  readonly hasPlatformLogin: boolean;
}

const logIns = [
  ["PLATFORM_USERNAME", "PLATFORM_PASSWORD"],
  ["PLATFORM_OAUTH_CLIENT_ID", "PLATFORM_OAUTH_PRIVATE_KEY", "PLATFORM_OAUTH_SCOPE"],
] as const;

/** Returns the app settings of a function app, by name; secrets are references to the vault. */
export async function readAppSettings(api: AzureApi, appId: string): Promise<Record<string, string>> {
  const { properties } = await api({
    method: "POST",
    path: `${appId}/config/appsettings/list?api-version=2024-04-01`,
    schema: settingsSchema,
    subject: "the settings of the app",
    role: "Website Contributor on the function app",
  });
  return properties;
}

/** Returns the settings that refer to a secret of the vault which the app cannot read. */
export async function readUnresolvedSecrets(api: AzureApi, appId: string): Promise<string[]> {
  const { value } = await api({
    method: "GET",
    path: `${appId}/config/configreferences/appsettings?api-version=2024-04-01`,
    schema: referencesSchema,
    subject: "the state of the app's secrets",
    role: "Website Contributor on the function app",
  });
  return value.filter(({ properties }) => properties.status !== "Resolved").map(({ name }) => name);
}

/**
 * Returns the settings with the operator's own credentials for the platform, if the environment has them, and
 * with placeholders instead of the app's secrets. Throws UnreachableError if the settings are invalid.
 */
export function toOperatorSettings(
  appSettings: Readonly<Record<string, string>>,
  environment: Environment,
): DeployedSettings {
  const logIn = logIns.find((names) => names.slice(0, 2).every((name) => environment[name]));
  const isReference = (value: string) => value.startsWith("@Microsoft.KeyVault(");
  const values: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(appSettings).map(([name, value]) => [
      name,
      isReference(value) ? placeholderOf(name) : value,
    ]),
  );
  // The operator signs in as a person, not with the app's identity.
  delete values["AzureWebJobsStorage__credential"];
  delete values["AzureWebJobsStorage__clientId"];
  for (const name of logIns.flat()) delete values[name];
  const own = logIn?.map((name) => [name, environment[name]]) ?? [
    ["PLATFORM_USERNAME", "none"],
    ["PLATFORM_PASSWORD", "none"],
  ];
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
