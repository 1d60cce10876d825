/** Writes the API reference as static files to dist/docs, or to the folder that is named. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { referenceFiles } from "../local/api-reference/reference-files.ts";

const folder = process.argv[2] ?? fileURLToPath(new URL("../../dist/docs/", import.meta.url));
await mkdir(folder, { recursive: true });
for (const [name, { content }] of await referenceFiles("read-only"))
  await writeFile(join(folder, name), content);

// Publishing the files distributes Swagger UI, whose licences require their texts.
const swaggerUi = new URL("./", import.meta.resolve("swagger-ui-dist/package.json"));
const licences = ["LICENSE", "NOTICE", "swagger-ui-es-bundle.js.LICENSE.txt"];
const texts = await Promise.all(licences.map(async (name) => readFile(new URL(name, swaggerUi), "utf8")));
await writeFile(join(folder, "licences.txt"), texts.join("\n\n"));
console.log(`Wrote ${join(folder, "index.html")}`);
