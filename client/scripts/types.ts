/** Generates the types of the client from openapi.json. They are not kept in git. */

import { readFile, rename, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// The generator needs the compiler's JavaScript API, which TypeScript 7 does not have any more: it gets the copy of
// TypeScript 6 in @ts-morph/common instead.
const compilerApi = import.meta.resolve("@ts-morph/common/dist/typescript.js");
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? compilerApi : specifier, context),
});
const { astToString, default: openapiTypescript } = await import("openapi-typescript");

const root = new URL("../../", import.meta.url);

/** Writes client/src/openapi.ts. Processes that do so at the same time never see half a file. */
export async function writeClientTypes(): Promise<void> {
  const document = await readFile(new URL("openapi.json", root), "utf8");
  const types = astToString(await openapiTypescript(document));
  const file = fileURLToPath(new URL("client/src/openapi.ts", root));
  const written = `${file}.${process.pid}.tmp`;
  await writeFile(written, `/** Generated from openapi.json. */\n${types}`);
  await rename(written, file);
}

if (import.meta.main) await writeClientTypes();
