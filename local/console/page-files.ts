/** The console's page as the server sends it, bundled when the console starts. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, stop } from "esbuild";

export interface PageFile {
  readonly contentType: string;
  readonly gzipped: Buffer;
}

const folder = fileURLToPath(new URL("page/", import.meta.url));

/** Returns the files by path. Throws esbuild's list of faults. */
export async function bundlePage(): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { console: "main.tsx" },
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
  const files = new Map<string, PageFile>();
  const add = (path: string, contentType: string, content: Uint8Array): void => {
    files.set(path, { contentType: `${contentType}; charset=utf-8`, gzipped: gzipSync(content) });
  };
  for (const { path, contents } of outputFiles) {
    if (path.endsWith(".js")) add("/console.js", "text/javascript", contents);
    if (path.endsWith(".css")) add("/console.css", "text/css", contents);
  }
  add("/", "text/html", await readFile(`${folder}index.html`));
  add("/icon.svg", "image/svg+xml", await readFile(`${folder}icon.svg`));
  return files;
}
