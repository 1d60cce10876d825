/** Loads the settings from the environment and reports all faults at once. */
import * as z from "zod";
import { faultsBetweenSettings } from "./rules.ts";
import { schemas, settingNames } from "./schemas.ts";
import { type Settings, toSettings } from "./settings.ts";

/**
 * Returns the checked settings. An empty value counts as missing, except for
 * `API_MANAGEMENT_SECRET`. Throws one Error that lists every fault by the
 * setting's name and contains no values.
 */
export function loadSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = givenSettings(environment);
  const result = z.object(schemas).safeParse(given);
  const faults = [
    ...unresolvedReferences(given),
    ...emptySecrets(environment),
    ...(result.error?.issues ?? []).map(({ path, message }) => {
      const name = String(path[0]);
      return `${name}: ${name in given ? message : "is required"}`;
    }),
    ...faultsBetweenSettings(given),
  ];
  if (result.success && faults.length === 0) return toSettings(result.data);
  throw new Error(`Invalid settings:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
}

function givenSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const given: Record<string, string> = {};
  for (const name of settingNames) {
    const text = environment[name] ?? "";
    // Passwords keep surrounding spaces; other values are trimmed.
    if (text.trim() !== "") given[name] = name.endsWith("_PASSWORD") ? text : text.trim();
  }
  return given;
}

/** An empty secret, such as one that was stored by mistake, must not switch the check off. */
function emptySecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  const name = "API_MANAGEMENT_SECRET";
  return environment[name]?.trim() === "" ? [`${name}: must not be empty; remove the setting instead`] : [];
}

function unresolvedReferences(given: Readonly<Record<string, string>>): string[] {
  return Object.entries(given)
    .filter(([, text]) => text.startsWith("@Microsoft.KeyVault("))
    .map(([name]) => `${name}: the Key Vault reference was not resolved`);
}
