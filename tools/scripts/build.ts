/** Builds what `main` in package.json names: the bundle with its source map and notices, in dist/. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createDeployment } from "./package/deployment.ts";

const root = new URL("../../", import.meta.url);
const files = [...(await createDeployment())].filter(([path]) => path.startsWith("dist/"));

for (const [path, contents] of files) {
  const file = fileURLToPath(new URL(path, root));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, contents);
}
console.log("dist/main.js");
