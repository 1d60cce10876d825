/** Bundles a page with esbuild: one HTML file, one script, one style sheet and one icon. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, stop } from "esbuild";

const icon = new URL("icon.svg", import.meta.url);

export interface PageFile {
  readonly contentType: string;
  readonly gzipped: Uint8Array;
}

export interface PageSource {
  /** Contains index.html. */
  readonly folder: string;
  /** The script's file in the folder. */
  readonly entry: string;
  /** The name of the script and of the style sheet, which index.html refers to. */
  readonly name: string;
}

/** Returns the files of a page by name. Throws esbuild's list of faults. */
export async function bundlePage({
  folder,
  entry,
  name,
}: PageSource): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { [name]: entry },
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
  const script = outputFiles.find(({ path }) => path.endsWith(".js"));
  const styles = outputFiles.find(({ path }) => path.endsWith(".css"));
  if (!script || !styles) throw new Error(`the page in ${folder} has no script or no styles`);
  return new Map([
    ["index.html", toFile("text/html", await readFile(join(folder, "index.html")))],
    [`${name}.js`, toFile("text/javascript", script.contents)],
    [`${name}.css`, toFile("text/css", styles.contents)],
    ["icon.svg", toFile("image/svg+xml", await readFile(icon))],
  ]);
}

function toFile(contentType: string, content: Uint8Array): PageFile {
  return { contentType: `${contentType}; charset=utf-8`, gzipped: gzipSync(content) };
}
