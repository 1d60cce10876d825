/** Generates openapi.json. */
import { writeFile } from "node:fs/promises";
import { createDocument, jsonText, loadHttpContracts } from "./openapi/document.ts";

const document = createDocument(await loadHttpContracts());
await writeFile(new URL("../../openapi.json", import.meta.url), `${jsonText(document)}\n`);
console.log("Wrote openapi.json");
