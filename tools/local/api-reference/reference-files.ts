/** The files of the API reference, a page that tries operations out on the running gateway. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { bundlePage, type PageFile } from "../pages/bundle-page.ts";

const folder = fileURLToPath(new URL("page/", import.meta.url));
const openapi = new URL("../../../openapi.json", import.meta.url);

/** Returns the files by name. Throws esbuild's list of faults. */
export async function referenceFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const files = await bundlePage({ folder, entry: "main.ts", name: "reference" });
  const document = { contentType: "application/json", gzipped: gzipSync(await readFile(openapi)) };
  return new Map([...files, ["openapi.json", document]]);
}
