/** Writes dist/vmr-gateway.cdx.json: the bill of materials of what is deployed. */
import { mkdir, writeFile } from "node:fs/promises";
import { createBillOfMaterials } from "./package/bill-of-materials.ts";

const folder = new URL("../../dist/", import.meta.url);
const bom = await createBillOfMaterials();
await mkdir(folder, { recursive: true });
await writeFile(new URL("vmr-gateway.cdx.json", folder), `${JSON.stringify(bom, null, 2)}\n`);
console.log(`dist/vmr-gateway.cdx.json: ${bom.components.length} packages`);
