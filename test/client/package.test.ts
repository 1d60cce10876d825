/** The client's package passes the checkers of npm packages, and is small. */
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { publint } from "publint";
import { expect, test } from "vitest";
import manifest from "../../client/package.json" with { type: "json" };
import { version } from "../../src/lib/version.ts";
import { useClientPackage } from "../support/client-package.ts";

const built = useClientPackage();

test("publint finds nothing to improve", async () => {
  const tarball = await readFile(built.tarball);
  const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
  expect(messages).toEqual([]);
});

test("The types resolve for ES modules in Node and in bundlers", async () => {
  const analysis = await checkPackage(createPackageFromTarballData(await readFile(built.tarball)));
  if (!analysis.types) throw new Error("the package has no types");
  expect(Object.keys(analysis.entrypoints).toSorted()).toEqual([".", "./widget"]);
  // The package has ES modules only; Node's oldest resolution knows no `exports`.
  const leftOut = new Set(["node10", "node16-cjs"]);
  const problems = analysis.problems.filter(
    (problem) => !("resolutionKind" in problem && leftOut.has(problem.resolutionKind)),
  );
  expect(problems).toEqual([]);
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

test("The client has the version of the interface, and no dependencies", () => {
  expect(manifest.version).toBe(version);
  expect(manifest).not.toHaveProperty("dependencies");
});
