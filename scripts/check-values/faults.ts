/**
 * What is wrong with an environment's values, as far as this can be known without Azure. The app itself judges its
 * settings.
 */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import * as z from "zod";
import { isHostSetting, loadSettings } from "../../src/lib/settings/settings.ts";
import { refusedHostSettings } from "./host-settings.ts";
import { faultsOfVariables } from "./variables.ts";

type Texts = Readonly<Record<string, string | undefined>>;

/** Bicep makes a text of each value, and stops at null and at fractions. */
const Value = z
  .union(
    [z.string(), z.int(), z.boolean(), z.looseObject({}), z.array(z.unknown())],
    "must not be null or a fraction",
  )
  .transform((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)));
const Given = z.record(z.string(), Value, "must be a JSON object");

/**
 * Returns the faults of a file of values, which the shell has read into `values`. Each names the variable and the
 * setting.
 */
export function findFaults(file: string, values: Texts): string[] {
  const ofSettings = faultsOf(values["GATEWAY_SETTINGS"] ?? "").map((fault) => `GATEWAY_SETTINGS: ${fault}`);
  return [...unknownVariables(file), ...faultsOfVariables(values), ...ofSettings];
}

function faultsOf(json: string): string[] {
  try {
    const settings = Given.safeParse(JSON.parse(json));
    if (settings.success) return [...unexpectedNames(settings.data), ...refusals(settings.data)];
    return settings.error.issues.map(({ path, message }) => [...path, message].join(": "));
  } catch (error) {
    return [String(error)];
  }
}

function unknownVariables(file: string): string[] {
  const template = readFileSync("infra/main.bicepparam", "utf8");
  const read = template.match(/(?<=readEnvironmentVariable\(')[A-Z_]+/g) ?? [];
  const known = new Set(["AZURE_SUBSCRIPTION_ID", "AZURE_RESOURCE_GROUP", ...read]);
  const names = readFileSync(file, "utf8").match(/^\w+(?==)/gm) ?? [];
  return names
    .filter((name) => !known.has(name))
    .map((name) => `${name}: is not a variable of infra/README.md`);
}

/** The settings of the host are unknown to the app. Those of the vault and the template may not be given. */
function unexpectedNames(given: Texts): string[] {
  const allowed = readFileSync("infra/settings.txt", "utf8").match(/^\w+(?= \w+$)/gm);
  const names = Object.keys(given).filter(
    (name) => name in refusedHostSettings || (!allowed?.includes(name) && !isHostSetting(name)),
  );
  return names.map(
    (name) => `${name}: ${refusedHostSettings[name] ?? "must not be given, see infra/settings.txt"}`,
  );
}

function refusals(given: Texts): string[] {
  try {
    loadSettings({ ...given, ...secretsFor(given), AzureWebJobsStorage__accountName: "storage" });
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** Returns valid secrets, by the names of the settings that app.bicep makes from the vault. */
export function secretsFor(given: Texts): Readonly<Record<string, string>> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const valueOf = (name: string) =>
    name.endsWith("_KEY") ? key : name.endsWith("_PIN") ? "2468" : "password";
  const secrets = readFileSync("infra/settings.txt", "utf8").matchAll(/^(\w+) (\w+) vault ?(\w*)$/gm);
  const used = [...secrets].filter(([, , need, beside = ""]) => need === "required" || beside in given);
  return Object.fromEntries(used.map(([, name = ""]) => [name, valueOf(name)]));
}
