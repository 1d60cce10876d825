/**
 * Builds what `main` in package.json names, in dist/. It is one bundle, because the app starts while a caller waits,
 * and loading its dependencies from a thousand files takes two to three times as long.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createDeployment } from "./package/deployment.ts";

const root = new URL("../", import.meta.url);
const files = [...(await createDeployment())].filter(([path]) => path.startsWith("dist/"));

for (const [path, contents] of files) {
  const file = fileURLToPath(new URL(path, root));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, contents);
}
console.log("dist/main.js");
