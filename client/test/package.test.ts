/** The client's package can be imported with its types by Node and bundlers, and is small. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { version } from "../../src/lib/version.ts";
import { projectFolder, temporaryFolder } from "../../test/support/script-process.ts";
import manifest from "../package.json" with { type: "json" };
import { useClientPackage } from "./client-package.ts";

const run = promisify(execFile);

const built = useClientPackage();

const consumer = `
import { type CreatedRoom, createClient, GatewayError } from "vmr-gateway-client";
import { createWidgetClient } from "vmr-gateway-client/widget";
export const room: Promise<CreatedRoom> = createClient({
  baseUrl: "https://gateway.example.com",
  getToken: async () => ({ accessToken: "made-up", expiresInSeconds: 60 }),
}).createRoom({ serviceTag: "https://verify.example.com/1" });
export const error: typeof GatewayError = GatewayError;
export const widget = createWidgetClient;
`;

test("Both entries and their types resolve for Node and for bundlers", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await run("npm", ["install", "--offline", "--silent", built.tarball], { cwd: folder });
  await writeFile(join(folder, "consumer.ts"), consumer);
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", lib: ["es2022", "dom"], types: [] };
  for (const [module, moduleResolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ]) {
    const options = { ...compilerOptions, module, moduleResolution };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
    const compiled = run(join(projectFolder, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder });
    expect([module, (await compiled).stdout]).toEqual([module, ""]);
  }
});

test("The package contains only the built modules, their types, the README and the licence", async () => {
  const { stdout } = await run("tar", ["-tf", built.tarball]);
  const others = stdout
    .trim()
    .split("\n")
    .filter((path) => !/^package\/dist\/[\w-]+\.(?:js|d\.ts)$/.test(path));
  expect(others.toSorted()).toEqual(["package/LICENSE", "package/README.md", "package/package.json"]);
});

async function bundledBytes(entry: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [`${built.folder}/dist/${entry}.js`],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? "").length;
}

test("The widget's entry takes less than 4 kB in a browser, the whole client less than 5 kB", async () => {
  expect(await bundledBytes("widget")).toBeLessThan(4000);
  expect(await bundledBytes("index")).toBeLessThan(5000);
});

test("The client has the interface's version and no dependencies", () => {
  expect(manifest.version).toBe(version);
  expect(manifest).not.toHaveProperty("dependencies");
});
