/** The client's package: its files, its size and its version. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { version } from "../../src/lib/version.ts";
import manifest from "../package.json" with { type: "json" };
import { useClientPackage } from "./client-package.ts";

const run = promisify(execFile);

const built = useClientPackage();

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
