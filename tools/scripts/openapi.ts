/** Generates openapi.json, and from it the client's types. With `--check`, only reports whether they are current. */
import { readFile, writeFile } from "node:fs/promises";
import { createClientTypes } from "./openapi/client-types.ts";
import { createDocument } from "./openapi/document.ts";
import { loadHttpContracts } from "./openapi/http-functions.ts";
import { jsonText } from "./openapi/json-text.ts";

const document = `${jsonText(createDocument(await loadHttpContracts()))}\n`;
const texts = { "openapi.json": document, "client/src/openapi.ts": await createClientTypes(document) };

for (const [name, text] of Object.entries(texts)) {
  const file = new URL(`../../${name}`, import.meta.url);
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
    console.log(`Wrote ${name}`);
  } else if ((await readFile(file, "utf8")) === text) {
    console.log(`${name} is up to date`);
  } else {
    console.error(`${name} is out of date: run npm run openapi`);
    process.exitCode = 1;
  }
}
