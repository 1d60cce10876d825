/**
 * Writes dist/vmr-gateway.zip, the package that is deployed, with its checksum and its bill of materials, and the
 * operator's commands.
 */
import { mkdir, writeFile } from "node:fs/promises";

import { createBillOfMaterials } from "./package/bill-of-materials.ts";
import { checksumFile, createArchive, createDeployment } from "./package/deployment.ts";
import { createOperatorsProgram } from "./package/operators-program.ts";

const folder = new URL("../dist/", import.meta.url);
const files = await createDeployment();
const archive = createArchive(files);
const bom = await createBillOfMaterials();
await mkdir(folder, { recursive: true });
const checksum = checksumFile(archive);
await writeFile(new URL("vmr-gateway.zip", folder), archive);
await writeFile(new URL("vmr-gateway.zip.sha256", folder), checksum);
await writeFile(new URL("vmr-gateway-ops.mjs", folder), await createOperatorsProgram());
await writeFile(new URL("vmr-gateway.cdx.json", folder), `${JSON.stringify(bom, null, 2)}\n`);
console.log(
  `dist/vmr-gateway.zip: ${files.size} files, ${Math.ceil(archive.length / 1024)} KiB, SHA-256 ${checksum.slice(0, 64)}`,
);
console.log(`dist/vmr-gateway.cdx.json: ${bom.components.length} packages`);
