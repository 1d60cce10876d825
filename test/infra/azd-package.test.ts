/** azd accepts .funcignore, and packs the right files. */
import { globSync, readFileSync } from "node:fs";
import ignore from "ignore";
import { expect, test } from "vitest";

const ignored = ignore().add(readFileSync(".funcignore", "utf8"));

test("azd accepts .funcignore, which must not ignore the name node_modules without a build in the cloud", () => {
  // https://github.com/Azure/azure-dev/pull/7223
  expect(["node_modules", "node_modules/"].filter((name) => ignored.ignores(name))).toEqual([]);
});

test("azd packs the bundle and what the host reads", () => {
  const built = ["dist/main.js", "dist/main.js.map", "dist/THIRD-PARTY-NOTICES.txt"];
  const others = ["node_modules/zod/index.js", "dist/vmr-gateway.zip", "local.settings.json"];
  const files = globSync("{LICENSE,*.*,{src,scripts,infra,docs,tools,test,client}/**/*.*}");
  const paths = files.map((path) => path.replaceAll("\\", "/"));
  expect(paths.length).toBeGreaterThan(300);
  const packed = ignored.filter([...new Set([...paths, ...built, ...others])]);
  expect(packed.toSorted()).toEqual([...built, "host.json", "package.json"].toSorted());
});
