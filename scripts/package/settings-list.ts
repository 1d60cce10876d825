/** The list of the app's settings, by which a deployment compares its values with the code. */
import { readFile } from "node:fs/promises";
import { schemas } from "../../src/lib/settings/settings.ts";

const isSecret = /_(?:PASSWORD|SECRET|PRIVATE_KEY|PIN)$/;

/** Returns the setting that an environment gives if it has this optional secret. Throws an Error if there is none. */
function settingBeside(secret: string): string {
  const name = secret.replace(isSecret, (end) => (end === "_PASSWORD" ? "_USERNAME" : "_CLIENT_ID"));
  if (schemas.has(name)) return name;
  throw new Error(`${secret}: without a setting ${name}, no environment can say that it has this secret`);
}

/**
 * Returns one line per setting, in the order of their names: the name, `required` or `optional`, and the source of the
 * value if GATEWAY_SETTINGS cannot set it, which is `vault` for secrets or `template` for what Bicep knows. After an
 * optional secret follows the setting with which it is used.
 */
export async function createSettingsList(): Promise<string> {
  const bicep = await readFile(new URL("../../infra/app.bicep", import.meta.url), "utf8");
  const [block = ""] = /^var infrastructureSettings = \{$[\s\S]*?^\}$/m.exec(bicep) ?? [];
  const ofTemplate = new Set(block.match(/^ {2}\w+(?=:)/gm)?.map((name) => name.trim()));
  const lines = [...schemas].map(([name, schema]) => {
    const isOptional = schema.safeParse(undefined).success;
    const words = [name, isOptional ? "optional" : "required"];
    if (isSecret.test(name)) words.push("vault", ...(isOptional ? [settingBeside(name)] : []));
    else if (ofTemplate.has(name) || name.startsWith("AzureWebJobsStorage")) words.push("template");
    return `${words.join(" ")}\n`;
  });
  return lines.toSorted().join("");
}
