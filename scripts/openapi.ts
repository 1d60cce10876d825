/** Generates what documents the code for machines: openapi.json, and infra/settings.txt for deployments. */
import { writeFile } from "node:fs/promises";
import { documentText } from "./openapi/document.ts";
import { createSettingsList } from "./package/settings-list.ts";

await writeFile(new URL("../openapi.json", import.meta.url), await documentText());
await writeFile(new URL("../infra/settings.txt", import.meta.url), await createSettingsList());
console.log("Wrote openapi.json and infra/settings.txt");
