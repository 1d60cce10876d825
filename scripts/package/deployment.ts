/** The files that are deployed, and their zip. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { zipSync } from "fflate";
import manifest from "../../package.json" with { type: "json" };
import { createSettingsList } from "./settings-list.ts";
import { createNotices } from "./third-party-notices.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Bundles src/main.ts. Returns the files by their paths from the project's root, such as `dist/main.js`, the build, and
 * the paths of every source that left code in the bundle. Rejects with esbuild's list of faults.
 */
async function bundleApp() {
  const { outputFiles, metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    outfile: "dist/main.js",
    write: false,
    metafile: true,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    sourcemap: true,
    // The bundle is one file because the host's `main` names one. Packages that only timers or some deployments need are
    // evaluated when they are first imported. It is not minified: that would not make it load faster, and stack traces
    // would be harder to read.
    // Two packages stay external: the Functions worker provides `@azure/functions-core`, and `supports-color` is optional
    // for `debug`.
    external: ["@azure/functions-core", "supports-color"],
    // CommonJS parts of the dependencies call require, which an ESM file does not have.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const built = outputFiles.map(({ path, contents }) => [toPath(relative(root, path)), contents] as const);
  const files = new Map(built);
  const build = writeBuild(files);
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const sources = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return { files, build, sources: [...new Set(sources)].toSorted() };
}

/** Writes twelve hexadecimal digits of the bundle's hash in place of the zeros in src/lib/version.ts, and returns them. */
function writeBuild(files: Map<string, Uint8Array>): string {
  const path = "dist/main.js";
  const text = Buffer.from(files.get(path) ?? []).toString();
  const parts = text.split('"000000000000"');
  if (parts.length !== 2) throw new Error("The bundle must have exactly one place for its build");
  const build = createHash("sha256").update(text).digest("hex").slice(0, 12);
  files.set(path, Buffer.from(parts.join(`"${build}"`)));
  return build;
}

const toPath = (path: string): string => path.replaceAll("\\", "/");

/**
 * Contents by path in the package. Bundles the app; the same sources give the same bytes. `infra/deploy.sh` reads
 * `build.txt` and `settings.txt`.
 */
export async function createDeployment(): Promise<ReadonlyMap<string, Uint8Array>> {
  const fromRoot = async (file: string) => readFile(new URL(`../../${file}`, import.meta.url));
  const { build, files, sources } = await bundleApp();
  // The host reads `type` and `main`; the rest identifies the build. Dependencies and scripts do not concern the host.
  const { name, version, type, main, engines } = manifest;
  return new Map([
    ["host.json", await fromRoot("host.json")],
    ["package.json", Buffer.from(`${JSON.stringify({ name, version, type, main, engines }, null, 2)}\n`)],
    ["build.txt", Buffer.from(`${build}\n`)],
    ["settings.txt", Buffer.from(await createSettingsList())],
    ["dist/THIRD-PARTY-NOTICES.txt", Buffer.from(await createNotices(sources))],
    ...files,
  ]);
}

// Zip timestamps have no time zone: a date of local parts makes the archive identical on every machine.
const mtime = new Date(1980, 0, 1);
const unix = 3;
const readableFile = 0o100644 * 2 ** 16;

/** Zips the files, all with the same time, readable by everyone. */
export function createArchive(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return zipSync(Object.fromEntries(files), { mtime, os: unix, attrs: readableFile, level: 9 });
}
