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

const below =
  (folder: string) =>
  (...names: readonly string[]): string[] =>
    names.map((name) => `${folder}/${name}`);
const local = below("tools/local");
const simulatedPlatform = below("tools/local/simulators/platform");
const lib = below("src/lib");

// From top to bottom: a part imports only what is below it, so there can be no cycle between parts.
const table: Readonly<Record<string, Omit<Row, "part">>> = {
  "tools/ops": {
    imports: [
      "capacity",
      ...local("terminal", "gateway", "process"),
      ...lib("wiring", "metrics", "pool", "auth", "rooms", "queues", "platform", "settings"),
      "src/lib",
    ],
  },
  capacity: {
    imports: [...local("gateway", "process"), ...lib("wiring", "rooms", "platform", "settings"), "src/lib"],
    types: ["src/lib/queues"],
  },
  "tools/local/commands": {
    imports: [
      ...local("demo", "console", "terminal", "gateway", "host", "process"),
      ...local("simulators", "simulators/identity", "simulators/platform"),
      "tools/local/simulators/platform/platform-options.ts",
    ],
    types: ["tools/local/host/worker"],
  },
  // The server bundles the page and imports nothing of it.
  "tools/local/console/page": { imports: ["tools/local/console"] },
  "tools/local/console": {
    imports: [...local("api-reference", "pages", "gateway", "process"), "src/lib/rooms", "client/src"],
    types: local("host/hosted-function.ts", "host/worker"),
  },
  // Its page imports openapi.json only.
  "tools/local/api-reference": { imports: ["tools/local/pages"] },
  "tools/local/pages": { imports: [] },
  "tools/local/demo": {
    imports: [...local("terminal", "gateway", "process"), "src/lib/rooms", "client/src"],
  },
  "tools/local/terminal": {
    imports: ["src/lib/settings", ...local("gateway", "process"), "client/src"],
    types: ["tools/local/host/worker"],
  },
  "tools/local/gateway": {
    imports: [
      "src/lib/settings",
      ...local("host", "simulators", "simulators/identity", "simulators/platform", "process"),
      "src/main.ts",
      "src/lib/queues",
      "client/src",
    ],
    types: [
      ...local("host/hosted-function.ts", "host/worker"),
      "tools/local/simulators/platform/platform-options.ts",
    ],
  },
  "tools/local/host": {
    imports: local("host/triggers", "host/http", "host/worker", "host/host-json.ts"),
    types: ["tools/local/host/hosted-function.ts"],
  },
  "tools/local/host/triggers": {
    imports: local("host/worker", "process"),
    types: local("host/http", "host/hosted-function.ts", "host/host-json.ts"),
  },
  "tools/local/host/http": { imports: ["tools/local/host/worker"] },
  "tools/local/host/hosted-function.ts": { imports: [], types: ["tools/local/host/worker"] },
  "tools/local/host/host-json.ts": { imports: [] },
  "tools/local/host/worker": { imports: ["tools/local/process"] },
  "tools/local/simulators/platform": {
    imports: [
      ...simulatedPlatform("control", "management-api", "platform-state.ts"),
      "tools/local/simulators",
    ],
    types: ["tools/local/simulators/platform/platform-options.ts"],
  },
  "tools/local/simulators/platform/control": {
    imports: [
      ...simulatedPlatform("management-api", "platform-state.ts", "events", "switches", "model"),
      "tools/local/simulators",
    ],
    types: ["tools/local/simulators/platform/platform-options.ts"],
  },
  "tools/local/simulators/platform/management-api": {
    imports: simulatedPlatform("switches", "model"),
    types: [...simulatedPlatform("platform-state.ts", "events"), "tools/local/simulators"],
  },
  "tools/local/simulators/platform/platform-state.ts": {
    imports: simulatedPlatform("events", "switches", "model"),
    types: ["tools/local/simulators/platform/platform-options.ts"],
  },
  "tools/local/simulators/platform/platform-options.ts": {
    imports: simulatedPlatform("events", "model"),
    types: ["tools/local/simulators/platform/switches"],
  },
  "tools/local/simulators/platform/events": { imports: ["tools/local/simulators/platform/model"] },
  "tools/local/simulators/platform/switches": { imports: [], types: ["tools/local/simulators"] },
  "tools/local/simulators/platform/model": { imports: [] },
  "tools/local/simulators/identity": { imports: ["tools/local/simulators"] },
  "tools/local/simulators": { imports: [] },
  "tools/local/process": { imports: [] },
  "src/main.ts": { imports: ["src/functions", ...lib("wiring", "http", "background", "settings")] },
  "src/functions": {
    imports: [...lib("api", "http", "background", "platform", "queues"), "src/lib"],
    types: lib("pool", "metrics"),
  },
  "src/lib/wiring": {
    imports: [
      ...lib("idempotency", "metrics", "pool", "auth", "queues", "rooms", "platform"),
      "src/lib",
      "package.json",
    ],
    types: ["src/lib/settings"],
  },
  "src/lib/api": {
    imports: [...lib("http", "rooms", "platform"), "src/lib"],
    types: lib("idempotency", "pool", "auth"),
  },
  "src/lib/idempotency": {
    imports: ["src/lib/pool", "src/lib"],
    types: lib("queues", "platform", "settings"),
  },
  "src/lib/metrics": {
    imports: lib("rooms", "settings"),
    types: [...lib("pool", "queues", "platform"), "src/lib"],
  },
  "src/lib/pool": { imports: [...lib("rooms", "queues", "platform"), "src/lib"] },
  "src/lib/http": { imports: ["src/lib"], types: ["src/lib/auth"] },
  "src/lib/background": { imports: ["src/lib"] },
  "src/lib/rooms": { imports: [], types: ["src/lib/platform", "src/lib"] },
  "src/lib/queues": { imports: ["src/lib"], types: ["src/lib/settings"] },
  "src/lib/auth": { imports: ["src/lib/settings", "src/lib"] },
  "src/lib/platform": { imports: ["src/lib"] },
  "src/lib/settings": { imports: [] },
  "src/lib": { imports: [] },
  "package.json": { imports: [] },
  // What consumers install imports nothing of the gateway.
  "client/src": { imports: [] },
};
const rows: readonly Row[] = Object.entries(table).map(([part, row]) => ({ part, ...row }));

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

const files = globSync("{src,tools/local,tools/ops,capacity,client/src}/**/*.{ts,tsx}", { cwd: projectRoot })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !/^tools\/\w+\/test\//.test(file));
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
          !["src", "tools/local", "tools/ops", "capacity"].some((folder) => isWithin(target, folder)))
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
