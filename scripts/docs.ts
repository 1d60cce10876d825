/** Writes the API reference as static files to dist/docs, or to the folder that is named. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { referenceFiles } from "../local/api-reference/reference-files.ts";

const folder = process.argv[2] ?? fileURLToPath(new URL("../dist/docs/", import.meta.url));
await mkdir(folder, { recursive: true });
for (const [name, { content }] of await referenceFiles("read-only"))
  await writeFile(join(folder, name), content);
console.log(`Wrote ${join(folder, "index.html")}`);
