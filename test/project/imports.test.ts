/** Which part of the source may know what: Azure, the environment, each other. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = (file: string) => readFileSync(join(root, file), "utf8");
const files = globSync("src/**/*.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/"));

interface Import {
  readonly path: string;
  /** Gone when the types are stripped. */
  readonly isType: boolean;
}

function importsOf(file: string): Import[] {
  return [...source(file).matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?from "([^"]+)"/gm)].map((match) => ({
    path: match[2]?.startsWith(".") ? normalize(join(dirname(file), match[2])) : (match[2] ?? ""),
    isType: match[1] !== undefined,
  }));
}

/** The packages that a file loads at run time, itself or through what it imports. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return importsOf(file)
    .filter(({ isType }) => !isType)
    .flatMap(({ path }) => (path.startsWith("src/") ? packagesOf(path, seen) : [path]));
}

const poolLogic = files.filter((file) => /^src\/lib\/pool\//.test(file));

test("there is pool logic, and imports are found", () => {
  expect(poolLogic.length).toBeGreaterThan(5);
  expect(packagesOf("src/main.ts")).toContain("@azure/storage-queue");
});

test.each(["src/lib/errors.ts", ...poolLogic])(
  "%s loads nothing of Azure, nor does what it imports",
  (file) => {
    expect(importsOf(file).filter(({ path }) => path.startsWith("@azure/"))).toEqual([]);
    expect(packagesOf(file).filter((path) => path.startsWith("@azure/"))).toEqual([]);
  },
);

test.each(files.filter((file) => file.startsWith("src/lib/platform/")))("%s knows no queue", (file) => {
  expect(importsOf(file).filter(({ path }) => /\/(pool|queues)\//.test(path))).toEqual([]);
});

test("the environment is read in src/main.ts only, and once", () => {
  const readers = files.filter((file) => /process\s*\.\s*env|["']node:process["']/.test(source(file)));
  expect(readers).toEqual(["src/main.ts"]);
  expect(source("src/main.ts").match(/process\.env/g)).toHaveLength(1);
});

test("nothing in lib imports a function or main.ts", () => {
  const libraries = files.filter((file) => file.startsWith("src/lib/"));
  const upwards = libraries.filter((file) =>
    importsOf(file).some(({ path }) => path.startsWith("src/functions") || path === "src/main.ts"),
  );
  expect(upwards).toEqual([]);
});
