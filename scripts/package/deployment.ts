/** The files that are deployed, and their zip. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { zipSync } from "fflate";
import manifest from "../../package.json" with { type: "json" };
import { bundle, root } from "./bundle.ts";
import { createSettingsList } from "./settings-list.ts";
import { createNotices } from "./third-party-notices.ts";

/**
 * Bundles src/main.ts, because the host's `main` names one file. Packages that only timers or some deployments need are
 * evaluated when they are first imported. Returns the files by their paths from the project's root, such as
 * `dist/main.js`, the build, and the paths of every source that left code in the bundle.
 */
async function bundleApp() {
  const { outputFiles, sources } = await bundle({
    entryPoint: "src/main.ts",
    outfile: "dist/main.js",
    sourcemap: true,
  });
  const built = outputFiles.map(({ path, contents }) => [relative(root, path), contents] as const);
  const files = new Map(built);
  const build = writeBuild(files);
  return { files, build, sources };
}

/**
 * Writes twelve hexadecimal digits of the bundle's hash in place of the zeros in src/lib/version.ts, and returns them.
 */
function writeBuild(files: Map<string, Uint8Array>): string {
  const path = "dist/main.js";
  const text = Buffer.from(files.get(path) ?? []).toString();
  const parts = text.split('"000000000000"');
  if (parts.length !== 2) throw new Error("The bundle must have exactly one place for its build");
  const build = createHash("sha256").update(text).digest("hex").slice(0, 12);
  files.set(path, Buffer.from(parts.join(`"${build}"`)));
  return build;
}

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

/** Returns what `sha256sum --check` reads beside the package, for the file name under which it is deployed. */
export function checksumFile(archive: Uint8Array): string {
  return `${createHash("sha256").update(archive).digest("hex")}  vmr-gateway.zip\n`;
}

/** Zips the files, all with the same time, readable by everyone. */
export function createArchive(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return zipSync(Object.fromEntries(files), { mtime, os: unix, attrs: readableFile, level: 9 });
}
