/** Generates openapi.json. */
import { writeFile } from "node:fs/promises";
import { createDocument } from "./openapi/document.ts";
import { loadHttpContracts } from "./openapi/http-functions.ts";
import { jsonText } from "./openapi/json-text.ts";

const document = createDocument(await loadHttpContracts());
await writeFile(new URL("../../openapi.json", import.meta.url), `${jsonText(document)}\n`);
console.log("Wrote openapi.json");
