/** Bundles a program into one file that needs no node_modules. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = fileURLToPath(new URL("../..", import.meta.url));

interface BundleOptions {
  readonly entryPoint: string;
  readonly outfile: string;
  readonly sourcemap?: boolean;
}

/**
 * Returns the output files, and the paths of every source that left code in them. It is not minified: that would not
 * make it load faster, and stack traces would be harder to read. Rejects with esbuild's list of faults.
 */
export async function bundle({ entryPoint, outfile, sourcemap = false }: BundleOptions) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outfile,
    write: false,
    metafile: true,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    sourcemap,
    // The Functions worker provides `@azure/functions-core`, and `supports-color` is optional for `debug`.
    external: ["@azure/functions-core", "supports-color"],
    // CommonJS parts of the dependencies call require, which an ESM file does not have.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const sources = parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return { outputFiles, sources: [...new Set(sources)].toSorted() };
}
