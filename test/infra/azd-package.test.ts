/** azure.yaml and .funcignore together: what azd refuses, and which files it packs. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ignore from "ignore";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };

const Hook = z.strictObject({ shell: z.literal("sh"), run: z.string() });
const AzureYaml = z.strictObject({
  name: z.string(),
  requiredVersions: z.strictObject({ azd: z.string() }),
  infra: z.strictObject({ provider: z.string(), path: z.string(), module: z.string() }),
  services: z.strictObject({
    app: z.strictObject({
      project: z.string(),
      language: z.string(),
      host: z.string(),
      remoteBuild: z.boolean(),
      hooks: z.record(z.string(), Hook),
    }),
  }),
  hooks: z.record(z.string(), Hook),
});

const azureYaml = AzureYaml.parse(parse(readFileSync("azure.yaml", "utf8")));
const { app } = azureYaml.services;
const ignored = ignore().add(readFileSync(".funcignore", "utf8"));

/** The files that azd would pack from these: it leaves out a folder that is ignored with all that is in it. */
const packed = (files: readonly string[]): string[] => ignored.filter(files).toSorted();

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === ".git" || name === "node_modules") return [];
    return statSync(path).isDirectory() ? filesBelow(path) : [relative(".", path).split(sep).join("/")];
  });
}

const built = ["dist/main.js", "dist/main.js.map", "dist/THIRD-PARTY-NOTICES.txt"];
const contents = [...built, "host.json", "package.json"].toSorted();

describe("azd", () => {
  it("Builds here and not in the cloud, which needs a version that knows how", () => {
    expect(app.remoteBuild).toBe(false);
    // remoteBuild came with 1.23.5: https://github.com/Azure/azure-dev/pull/6748. The check of .funcignore is newer.
    expect(azureYaml.requiredVersions.azd).toBe(">= 1.23.12");
  });

  it("Accepts .funcignore, which must not ignore the name node_modules without a build in the cloud", () => {
    // https://github.com/Azure/azure-dev/pull/7223
    expect(ignored.ignores("node_modules")).toBe(false);
    expect(ignored.ignores("node_modules/")).toBe(false);
  });

  it("Packs the bundle and what the host reads, and nothing else of the project or its packages", () => {
    const others = [
      "node_modules/zod/index.js",
      "node_modules/.bin/tsc",
      "dist/vmr-gateway.zip",
      "local.settings.json",
    ];
    expect(packed([...new Set([...filesBelow("."), ...built, ...others])])).toEqual(contents);
  });

  it("Deploys a Node function app from the root, after the project's own build", () => {
    expect([app.project, app.language, app.host]).toEqual([".", "js", "function"]);
    expect(app.hooks["prepackage"]?.run).toBe("npm ci && npm run build");
    expect(manifest.scripts).toHaveProperty("build");
    expect(manifest.main).toBe("dist/main.js");
  });

  it("Provisions main.bicep with the parameters of main.bicepparam", () => {
    const { provider, path, module } = azureYaml.infra;
    expect(provider).toBe("bicep");
    expect([".bicep", ".bicepparam"].map((ending) => existsSync(join(path, module + ending)))).toEqual([
      true,
      true,
    ]);
  });

  it("Names missing secrets before the app is deployed, and waits for the health afterwards", () => {
    const runs = Object.entries(azureYaml.hooks).map(([name, { run }]) => [name, run]);
    expect(Object.fromEntries(runs)).toEqual({
      predeploy: 'sh infra/deploy.sh check "$AZURE_ENV_NAME"',
      postdeploy: 'sh infra/deploy.sh reload "$AZURE_ENV_NAME"',
    });
  });
});
