/** Bundles a page with esbuild: one HTML file, one script, one style sheet and one icon. */
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";

const icon = fileURLToPath(new URL("icon.svg", import.meta.url));

/**
 * Returns the files of a page by name. Its folder contains index.html, which refers to the script and the style sheet by
 * `name`, and main.ts or main.tsx. `others` are the paths of other files, by their names without extensions. Throws
 * esbuild's list of faults.
 */
export async function bundlePage(
  folder: string,
  name: string,
  others: Readonly<Record<string, string>> = {},
) {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { [name]: "./main", index: "./index.html", icon, ...others },
    outdir: "/",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".html": "copy", ".svg": "copy", ".json": "copy" },
    logLevel: "silent",
  });
  // Otherwise its process lives as long as this one.
  await stop();
  return new Map(outputFiles.map(({ path, contents }) => [path.slice(1), contents]));
}
