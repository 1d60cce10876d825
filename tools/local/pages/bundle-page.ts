/** Bundles a page with esbuild: one HTML file, one script, one style sheet and one icon. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, stop } from "esbuild";

const icon = new URL("icon.svg", import.meta.url);

export interface PageFile {
  readonly contentType: string;
  readonly content: Uint8Array | string;
}

/**
 * Returns the files of a page by name. Its folder contains index.html, which refers to the script and the style sheet by
 * `name`, and main.ts or main.tsx. Throws esbuild's list of faults.
 */
export async function bundlePage(folder: string, name: string): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { [name]: "./main" },
    outdir: "/",
    write: false,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "silent",
  });
  // Otherwise its process lives as long as this one.
  await stop();
  const contentOf = (path: string) => outputFiles.find((file) => file.path === path)?.contents ?? "";
  return new Map<string, PageFile>([
    ["index.html", { contentType: "text/html", content: await readFile(join(folder, "index.html")) }],
    [`${name}.js`, { contentType: "text/javascript", content: contentOf(`/${name}.js`) }],
    [`${name}.css`, { contentType: "text/css", content: contentOf(`/${name}.css`) }],
    ["icon.svg", { contentType: "image/svg+xml", content: await readFile(icon) }],
  ]);
}
