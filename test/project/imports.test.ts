/** The architecture as one table: which part of src and client may import which other part. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importsOf, projectRoot } from "../support/imports-of.ts";

interface Row {
  /** A file, or a folder with everything below it that has no row of its own. */
  readonly part: string;
  readonly imports: readonly string[];
  /** Parts of which only types may be imported. */
  readonly types?: readonly string[];
}

const below =
  (folder: string) =>
  (...names: readonly string[]): string[] =>
    names.map((name) => `${folder}/${name}`);
const lib = below("src/lib");

// From top to bottom: a part imports only what is below it, so there can be no cycle between parts, and the pool
// type-checks without any Azure package. Lint finds cycles within a part, and reads of the environment.
const table: Readonly<Record<string, Omit<Row, "part">>> = {
  "src/main.ts": {
    imports: ["src/functions", ...lib("dependencies.ts", "triggers.ts", "settings")],
  },
  "src/functions": {
    imports: [...lib("rooms", "http", "platform"), "src/lib"],
    types: lib("triggers.ts", "pool", "metrics"),
  },
  "src/lib/dependencies.ts": {
    imports: [...lib("azure", "auth", "metrics", "pool", "platform"), "src/lib"],
    types: ["src/lib/settings"],
  },
  "src/lib/triggers.ts": { imports: [...lib("http"), "src/lib"] },
  "src/lib/azure": { imports: [...lib("settings"), "src/lib"] },
  "src/lib/metrics": {
    imports: [...lib("pool"), "src/lib"],
    types: ["src/lib/platform"],
  },
  "src/lib/rooms": {
    imports: [...lib("http", "pool", "platform"), "src/lib"],
  },
  "src/lib/pool": { imports: ["src/lib/platform", "src/lib"] },
  "src/lib/http": { imports: ["src/lib"], types: ["src/lib/auth"] },
  "src/lib/auth": { imports: ["src/lib"] },
  "src/lib/platform": { imports: ["src/lib"] },
  "src/lib/settings": { imports: ["src/lib"] },
  "src/lib": { imports: ["package.json"] },
  "package.json": { imports: [] },
  // The client package imports nothing of the gateway.
  "client/src": { imports: [] },
};
const rows: readonly Row[] = Object.entries(table).map(([part, row]) => ({ part, ...row }));

// Only these parts may import each Azure package.
const azurePackages: Readonly<Record<string, readonly string[]>> = {
  "@azure/functions": ["src/main.ts", "src/lib/triggers.ts", "src/lib/http"],
  "@azure/storage-queue": ["src/lib/azure"],
  "@azure/storage-blob": ["src/lib/azure"],
  "@azure/identity": ["src/lib/azure"],
  "@azure/monitor-ingestion": ["src/lib/azure"],
};

const matching = (pattern: string) =>
  globSync(pattern, { cwd: projectRoot }).map((file) => file.replaceAll("\\", "/"));

// The types of the client are generated, and therefore missing in a new clone.
const files = matching("{src,client/src}/**/*.ts").filter((file) => file !== "client/src/openapi.ts");
const sources = files.filter((file) => file.startsWith("src/"));
const isWithin = (file: string, part: string) => file === part || file.startsWith(`${part}/`);

/** Returns the row with the longest path that contains the file. */
function rowOf(file: string): Row | undefined {
  return rows
    .filter(({ part }) => isWithin(file, part))
    .toSorted((one, other) => other.part.length - one.part.length)[0];
}

/** Returns the imports of a row's files that leave the row and that the row does not allow. */
function forbiddenImports(row: Row): string[] {
  return files
    .filter((file) => rowOf(file) === row)
    .flatMap((file) => importsOf(file).map((found) => ({ file, ...found })))
    .filter(({ target, isType }) => {
      const part = rowOf(target)?.part;
      if (
        part === row.part ||
        (part === undefined && !/^(?:src|client|test|tools|package\.json)\b/.test(target))
      )
        return false;
      const allowed = isType ? [...row.imports, ...(row.types ?? [])] : row.imports;
      return part === undefined || !allowed.includes(part);
    })
    .map(({ file, target, isType }) => `${file} imports ${isType ? "types of " : ""}${target}`);
}

describe("the table", () => {
  test("has a row for every file", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => rowOf(file) === undefined)).toEqual([]);
  });

  test("has no row without a file", () => {
    const unused = rows.filter(
      ({ part }) => part !== "package.json" && !files.some((file) => rowOf(file)?.part === part),
    );
    expect(unused.map(({ part }) => part)).toEqual([]);
  });

  test("allows no import that no file needs", () => {
    const unneeded = rows.flatMap(({ part, imports, types = [] }) => {
      const found = files.filter((file) => rowOf(file)?.part === part).flatMap((file) => importsOf(file));
      const partsOf = (isTypeWanted: boolean) =>
        found.filter(({ isType }) => isType === isTypeWanted).map(({ target }) => rowOf(target)?.part);
      const [needed, neededTypes] = [partsOf(false), partsOf(true)];
      return [
        ...imports.filter((other) => !needed.includes(other)),
        ...types.filter((other) => !neededTypes.includes(other)).map((other) => `types of ${other}`),
      ].map((other) => `${part} does not need ${other}`);
    });
    expect(unneeded).toEqual([]);
  });

  test("allows only imports of parts further down", () => {
    for (const [index, { part, imports, types = [] }] of rows.entries()) {
      const further = rows.slice(index + 1).map((row) => row.part);
      expect([part, [...imports, ...types].filter((other) => !further.includes(other))]).toEqual([part, []]);
    }
  });
});

test("every part imports only what the table allows", () => {
  expect(rows.flatMap(forbiddenImports)).toEqual([]);
});

test("each Azure package is imported only by the parts that the table names for it", () => {
  const imports = sources.flatMap((file) => importsOf(file).map(({ target }) => ({ file, target })));
  const ofAzure = imports.filter(({ target }) => target.startsWith("@azure/"));
  const misplaced = ofAzure.filter(
    ({ file, target }) => !azurePackages[target]?.some((part) => isWithin(file, part)),
  );
  expect(misplaced).toEqual([]);
  expect(new Set(ofAzure.map(({ target }) => target))).toEqual(new Set(Object.keys(azurePackages)));
});

test("nothing but a test imports from a test", () => {
  const isTest = (file: string) => /^(?:test|tools\/[^/]+\/test)\//.test(file);
  const others = matching("{src,client,tools,infra}/**/*.{ts,tsx}").filter(
    (file) => !isTest(file) && !/node_modules|\/dist\//.test(file),
  );
  const importing = others.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => isTest(target))
      .map(({ target }) => `${file} imports ${target}`),
  );
  expect(others.length).toBeGreaterThan(200);
  expect(importing).toEqual([]);
});

test("the platform's resource paths are known to src/lib/platform only", () => {
  const users = sources.filter((file) =>
    readFileSync(join(projectRoot, file), "utf8").includes("/api/admin"),
  );
  expect(users).not.toEqual([]);
  expect(users.filter((file) => !isWithin(file, "src/lib/platform"))).toEqual([]);
});
