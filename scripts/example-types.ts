/**
 * Generates the types of docs/example.ts from openapi.json, as `npx openapi-typescript` does. They are not kept in git.
 */
import { readFile, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";

// The generator needs the compiler's JavaScript API, which TypeScript 7 does not have any more: it gets the copy of
// TypeScript 6 in @ts-morph/common instead.
const compilerApi = import.meta.resolve("@ts-morph/common/dist/typescript.js");
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? compilerApi : specifier, context),
});
const { astToString, default: openapiTypescript } = await import("openapi-typescript");

const root = new URL("../", import.meta.url);
const types = await openapiTypescript(await readFile(new URL("openapi.json", root), "utf8"));
await writeFile(new URL("docs/openapi.d.ts", root), astToString(types));
