/** azd accepts azure.yaml and .funcignore, and packs the right files. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ignore from "ignore";
import { expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };

const ignored = ignore().add(readFileSync(".funcignore", "utf8"));

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === ".git" || name === "node_modules") return [];
    return statSync(path).isDirectory() ? filesBelow(path) : [relative(".", path).split(sep).join("/")];
  });
}

test("azd builds the app with the project's own build, provisions main.bicep, and names missing secrets first", () => {
  const hook = (run: string) => ({ shell: "sh", run });
  expect(parse(readFileSync("azure.yaml", "utf8"))).toEqual({
    name: "vmr-gateway",
    // remoteBuild came with 1.23.5: https://github.com/Azure/azure-dev/pull/6748. The check of .funcignore is newer.
    requiredVersions: { azd: ">= 1.23.12" },
    infra: { provider: "bicep", path: "infra", module: "main" },
    services: {
      app: {
        project: ".",
        language: "js",
        host: "function",
        remoteBuild: false,
        hooks: { prepackage: hook("npm ci && npm run build") },
      },
    },
    hooks: {
      predeploy: hook('sh infra/deploy.sh check "$AZURE_ENV_NAME"'),
      postdeploy: hook('sh infra/deploy.sh reload "$AZURE_ENV_NAME"'),
    },
  });
  expect([manifest.main, "build" in manifest.scripts]).toEqual(["dist/main.js", true]);
});

test("azd accepts .funcignore, which must not ignore the name node_modules without a build in the cloud", () => {
  // https://github.com/Azure/azure-dev/pull/7223
  expect(["node_modules", "node_modules/"].filter((name) => ignored.ignores(name))).toEqual([]);
});

test("azd packs the bundle and what the host reads, and nothing else of the project or its packages", () => {
  const built = ["dist/main.js", "dist/main.js.map", "dist/THIRD-PARTY-NOTICES.txt"];
  const others = ["node_modules/zod/index.js", "dist/vmr-gateway.zip", "local.settings.json"];
  const packed = ignored.filter([...new Set([...filesBelow("."), ...built, ...others])]);
  expect(packed.toSorted()).toEqual([...built, "host.json", "package.json"].toSorted());
});
