/** The app as esbuild bundles it: in memory, so that building, packaging and testing get the same bytes. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface Bundle {
  /** Contents by path from the project's root, such as `dist/main.js`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Every source file that left code in the bundle, by its path from the project's root. */
  readonly sources: readonly string[];
}

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Bundles src/main.ts. Rejects with esbuild's list of faults. */
export async function bundleApp(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
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
    // One file, as the host's `main` is one. What only timers and some deployments need (identity, log ingestion) stands
    // in it as functions that run at their first import. Minified it would not load faster, only read worse in a stack
    // trace.
    // The Functions worker provides the first at run time. The second is no dependency of ours: `debug` takes it for
    // coloured lines where some tool has happened to install it.
    external: ["@azure/functions-core", "supports-color"],
    // CommonJS parts of the dependencies call require, which an ESM file does not have.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const files = outputFiles.map(({ path, contents }) => [toPath(relative(root, path)), contents] as const);
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const sources = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return { files: new Map(files), sources: [...new Set(sources)].toSorted() };
}

const toPath = (path: string): string => path.replaceAll("\\", "/");
