/** The list of the app's settings, by which a deployment compares its values with the code. */
import { readFile } from "node:fs/promises";
import { schemas } from "../../src/lib/settings/settings.ts";

const isSecret = /_(?:PASSWORD|SECRET|PRIVATE_KEY|PIN)$/;

/**
 * Returns one line per setting, in the order of their names: the name, `required` or `optional`, and the source of the
 * value if GATEWAY_SETTINGS cannot set it, which is `vault` for secrets or `template` for what Bicep knows.
 */
export async function createSettingsList(): Promise<string> {
  const bicep = await readFile(new URL("../../infra/app.bicep", import.meta.url), "utf8");
  const [block = ""] = /^var infrastructureSettings = \{$[\s\S]*?^\}$/m.exec(bicep) ?? [];
  const ofTemplate = new Set(block.match(/^ {2}\w+(?=:)/gm)?.map((name) => name.trim()));
  const lines = [...schemas].map(([name, schema]) => {
    const words = [name, schema.safeParse(undefined).success ? "optional" : "required"];
    if (isSecret.test(name)) words.push("vault");
    else if (ofTemplate.has(name) || name.startsWith("AzureWebJobsStorage")) words.push("template");
    return `${words.join(" ")}\n`;
  });
  return lines.toSorted().join("");
}
