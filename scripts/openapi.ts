/** Generates openapi.json from the contracts of the HTTP functions. With `--check`, only reports whether it is current. */
import { readFile, writeFile } from "node:fs/promises";
import { createDocument } from "./openapi/document.ts";
import { loadHttpContracts } from "./openapi/http-functions.ts";
import { jsonText } from "./openapi/json-text.ts";

const file = new URL("../openapi.json", import.meta.url);
const text = `${jsonText(createDocument(await loadHttpContracts()))}\n`;
if (process.argv.includes("--check")) {
  const isFresh = (await readFile(file, "utf8")) === text;
  console.log(isFresh ? "openapi.json is up to date" : "openapi.json is out of date: run npm run openapi");
  process.exitCode = isFresh ? 0 : 1;
} else {
  await writeFile(file, text);
  console.log("Wrote openapi.json");
}
