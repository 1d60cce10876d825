/** The files of the API reference: with "try it" beside a running gateway, or to read only. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { bundlePage, type PageFile } from "../pages/bundle-page.ts";

const folder = fileURLToPath(new URL("page/", import.meta.url));
const openapi = new URL("../../../openapi.json", import.meta.url);

/** Returns the files by name. Throws esbuild's list of faults. */
export async function referenceFiles(
  kind: "with-gateway" | "read-only",
): Promise<ReadonlyMap<string, PageFile>> {
  const files = await bundlePage({ folder, entry: `${kind}.ts`, name: "reference" });
  const content = await readFile(openapi);
  const document = { contentType: "application/json", content, gzipped: gzipSync(content) };
  return new Map([...files, ["openapi.json", document]]);
}
