/** Writes dist/vmr-gateway.zip: what is deployed, and nothing else. */
import { mkdir, writeFile } from "node:fs/promises";
import { createArchive } from "./package/archive.ts";
import { createDeployment } from "./package/deployment.ts";

const folder = new URL("../../dist/", import.meta.url);
const files = await createDeployment();
const archive = createArchive(files);
await mkdir(folder, { recursive: true });
await writeFile(new URL("vmr-gateway.zip", folder), archive);
console.log(`dist/vmr-gateway.zip: ${files.size} files, ${Math.ceil(archive.length / 1024)} KiB`);
