/** The architecture as one table: which part of src, local, ops, capacity and client may import which other part. */
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

// From top to bottom: a part imports only what is below it, so there can be no cycle between parts.
const rows: readonly Row[] = [
  {
    part: "ops",
    imports: [
      "capacity",
      "local/terminal",
      "local/gateway",
      "local/process",
      "src/lib/wiring",
      "src/lib/metrics",
      "src/lib/pool",
      "src/lib/auth",
      "src/lib/rooms",
      "src/lib/queues",
      "src/lib/platform",
      "src/lib/settings",
      "src/lib",
    ],
  },
  {
    part: "capacity",
    imports: [
      "local/gateway",
      "local/process",
      "src/lib/wiring",
      "src/lib/rooms",
      "src/lib/platform",
      "src/lib/settings",
      "src/lib",
    ],
    types: ["src/lib/queues"],
  },
  {
    part: "local/commands",
    imports: [
      "local/demo",
      "local/console",
      "local/terminal",
      "local/gateway",
      "local/host",
      "local/simulators",
      "local/simulators/identity",
      "local/simulators/platform",
      "local/simulators/platform/platform-options.ts",
      "local/process",
    ],
    types: ["local/host/worker"],
  },
  // The server bundles the page and imports nothing of it.
  { part: "local/console/page", imports: ["local/console"] },
  {
    part: "local/console",
    imports: ["local/api-reference", "local/pages", "local/gateway", "src/lib/rooms", "client/src"],
    types: ["local/host/hosted-function.ts", "local/host/worker"],
  },
  // Its page imports openapi.json only.
  { part: "local/api-reference", imports: ["local/pages"] },
  { part: "local/pages", imports: [] },
  {
    part: "local/demo",
    imports: ["local/terminal", "local/gateway", "local/process", "src/lib/rooms", "client/src"],
  },
  {
    part: "local/terminal",
    imports: ["src/lib/settings", "local/gateway", "local/process", "client/src"],
    types: ["local/host/worker"],
  },
  {
    part: "local/gateway",
    imports: [
      "src/lib/settings",
      "local/host",
      "local/simulators",
      "local/simulators/identity",
      "local/simulators/platform",
      "local/process",
      "src/main.ts",
      "src/lib/queues",
      "client/src",
    ],
    types: [
      "local/host/hosted-function.ts",
      "local/host/worker",
      "local/simulators/platform/platform-options.ts",
    ],
  },
  {
    part: "local/host",
    imports: ["local/host/triggers", "local/host/http", "local/host/worker", "local/host/host-json.ts"],
    types: ["local/host/hosted-function.ts"],
  },
  {
    part: "local/host/triggers",
    imports: ["local/host/worker", "local/process"],
    types: ["local/host/http", "local/host/hosted-function.ts", "local/host/host-json.ts"],
  },
  { part: "local/host/http", imports: ["local/host/worker"] },
  { part: "local/host/hosted-function.ts", imports: [], types: ["local/host/worker"] },
  { part: "local/host/host-json.ts", imports: [] },
  { part: "local/host/worker", imports: ["local/process"] },
  {
    part: "local/simulators/platform",
    imports: [
      "local/simulators/platform/control",
      "local/simulators/platform/management-api",
      "local/simulators/platform/platform-state.ts",
      "local/simulators",
    ],
    types: ["local/simulators/platform/platform-options.ts"],
  },
  {
    part: "local/simulators/platform/control",
    imports: [
      "local/simulators/platform/management-api",
      "local/simulators/platform/platform-state.ts",
      "local/simulators/platform/events",
      "local/simulators/platform/switches",
      "local/simulators/platform/model",
      "local/simulators",
    ],
    types: ["local/simulators/platform/platform-options.ts"],
  },
  {
    part: "local/simulators/platform/management-api",
    imports: ["local/simulators/platform/switches", "local/simulators/platform/model"],
    types: [
      "local/simulators/platform/platform-state.ts",
      "local/simulators/platform/events",
      "local/simulators",
    ],
  },
  {
    part: "local/simulators/platform/platform-state.ts",
    imports: [
      "local/simulators/platform/events",
      "local/simulators/platform/switches",
      "local/simulators/platform/model",
    ],
    types: ["local/simulators/platform/platform-options.ts"],
  },
  {
    part: "local/simulators/platform/platform-options.ts",
    imports: ["local/simulators/platform/events", "local/simulators/platform/model"],
    types: ["local/simulators/platform/switches"],
  },
  { part: "local/simulators/platform/events", imports: ["local/simulators/platform/model"] },
  { part: "local/simulators/platform/switches", imports: [], types: ["local/simulators"] },
  { part: "local/simulators/platform/model", imports: [] },
  { part: "local/simulators/identity", imports: ["local/simulators"] },
  { part: "local/simulators", imports: [] },
  { part: "local/process", imports: [] },
  {
    part: "src/main.ts",
    imports: ["src/functions", "src/lib/wiring", "src/lib/http", "src/lib/background", "src/lib/settings"],
  },
  {
    part: "src/functions",
    imports: [
      "src/lib/api",
      "src/lib/http",
      "src/lib/background",
      "src/lib/platform",
      "src/lib/queues",
      "src/lib",
    ],
    types: ["src/lib/pool", "src/lib/metrics"],
  },
  {
    part: "src/lib/wiring",
    imports: [
      "src/lib/idempotency",
      "src/lib/metrics",
      "src/lib/pool",
      "src/lib/auth",
      "src/lib/queues",
      "src/lib/rooms",
      "src/lib/platform",
      "src/lib",
      "package.json",
    ],
    types: ["src/lib/settings"],
  },
  {
    part: "src/lib/api",
    imports: ["src/lib/http", "src/lib/rooms", "src/lib/platform", "src/lib"],
    types: ["src/lib/idempotency", "src/lib/pool", "src/lib/auth"],
  },
  {
    part: "src/lib/idempotency",
    imports: ["src/lib/pool", "src/lib"],
    types: ["src/lib/queues", "src/lib/platform", "src/lib/settings"],
  },
  {
    part: "src/lib/metrics",
    imports: ["src/lib/rooms", "src/lib/settings"],
    types: ["src/lib/pool", "src/lib/queues", "src/lib/platform", "src/lib"],
  },
  {
    part: "src/lib/pool",
    imports: ["src/lib/rooms", "src/lib/queues", "src/lib/platform", "src/lib"],
  },
  { part: "src/lib/http", imports: ["src/lib"], types: ["src/lib/auth"] },
  { part: "src/lib/background", imports: ["src/lib"] },
  { part: "src/lib/rooms", imports: [], types: ["src/lib/platform", "src/lib"] },
  { part: "src/lib/queues", imports: ["src/lib"], types: ["src/lib/settings"] },
  { part: "src/lib/auth", imports: ["src/lib/settings", "src/lib"] },
  { part: "src/lib/platform", imports: ["src/lib"] },
  { part: "src/lib/settings", imports: [] },
  { part: "src/lib", imports: [] },
  { part: "package.json", imports: [] },
  // What consumers install imports nothing of the gateway.
  { part: "client/src", imports: [] },
];

// Each Azure package is known to these parts only. The Functions package has two more users, one file each.
const azurePackages: Readonly<Record<string, readonly string[]>> = {
  "@azure/functions": ["src/main.ts", "src/lib/http", "src/lib/background", "src/lib/invocation-log.ts"],
  "@azure/storage-queue": ["src/lib/queues"],
  "@azure/core-http-compat": ["src/lib/queues"],
  "@azure/core-rest-pipeline": ["src/lib/queues"],
  "@azure/storage-blob": ["src/lib/idempotency"],
  "@azure/identity": ["src/lib/wiring", "src/lib/queues", "src/lib/metrics", "src/lib/idempotency"],
  "@azure/monitor-ingestion": ["src/lib/metrics"],
};

const files = globSync("{src,local,ops,capacity,client/src}/**/*.{ts,tsx}", { cwd: projectRoot }).map(
  (file) => file.replaceAll("\\", "/"),
);
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
        (part === undefined &&
          !["src", "local", "ops", "capacity"].some((folder) => isWithin(target, folder)))
      )
        return false;
      const allowed = isType ? [...row.imports, ...(row.types ?? [])] : row.imports;
      return part === undefined || !allowed.includes(part);
    })
    .map(({ file, target, isType }) => `${file} imports ${isType ? "types of " : ""}${target}`);
}

/** Returns all files and packages that a file imports directly or indirectly, types included. */
function closureOf(file: string, seen = new Set<string>()): Set<string> {
  for (const { target } of importsOf(file)) {
    if (seen.has(target)) continue;
    seen.add(target);
    if (/\.tsx?$/.test(target)) closureOf(target, seen);
  }
  return seen;
}

describe("the table", () => {
  test("has a row for every file", () => {
    expect(files.length).toBeGreaterThan(150);
    expect(files.filter((file) => rowOf(file) === undefined)).toEqual([]);
  });

  test("has no row without a file", () => {
    const unused = rows.filter(
      ({ part }) => part !== "package.json" && !files.some((file) => rowOf(file)?.part === part),
    );
    expect(unused.map(({ part }) => part)).toEqual([]);
  });

  test.each(rows)("allows $part only imports of parts further down", ({ part, imports, types = [] }) => {
    const below = rows.slice(rows.findIndex((row) => row.part === part) + 1).map((row) => row.part);
    expect([...imports, ...types].filter((other) => !below.includes(other))).toEqual([]);
  });
});

test.each(rows)("$part imports only what the table allows", (row) => {
  expect(forbiddenImports(row)).toEqual([]);
});

test("no file imports itself through others, types included", () => {
  expect(files.filter((file) => closureOf(file).has(file))).toEqual([]);
});

test.each(Object.entries(azurePackages))("%s is imported by %j only", (name, parts) => {
  const users = sources.filter((file) => importsOf(file).some(({ target }) => target === name));
  expect(users).not.toEqual([]);
  expect(users.filter((file) => !parts.some((part) => isWithin(file, part)))).toEqual([]);
});

test("no other Azure package is imported", () => {
  const imported = new Set(sources.flatMap((file) => importsOf(file).map(({ target }) => target)));
  const azure = [...imported].filter((target) => target.startsWith("@azure/"));
  expect(azure.toSorted()).toEqual(Object.keys(azurePackages).toSorted());
});

test.each(sources.filter((file) => /^src\/lib\/(?:pool\/|errors\.ts|log\.ts)/.test(file)))(
  "%s type-checks without any Azure package",
  (file) => {
    expect([...closureOf(file)].filter((target) => target.startsWith("@azure/"))).toEqual([]);
  },
);

test("the platform's resource paths are known to src/lib/platform only", () => {
  const users = sources.filter((file) =>
    readFileSync(join(projectRoot, file), "utf8").includes("/api/admin"),
  );
  expect(users).not.toEqual([]);
  expect(users.filter((file) => !isWithin(file, "src/lib/platform"))).toEqual([]);
});

test("the environment is read once, in src/main.ts", () => {
  const text = (file: string) => readFileSync(join(projectRoot, file), "utf8");
  const readers = sources.filter((file) => /process\s*\.\s*env|["']node:process["']/.test(text(file)));
  expect(readers).toEqual(["src/main.ts"]);
  expect(text("src/main.ts").match(/process\.env/g)).toHaveLength(1);
});
