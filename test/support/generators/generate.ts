/** Generates a client from openapi.json with each generator, into the folder that is named on the command line. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
// Before the generators, which import the compiler's API.
import "../../../tools/scripts/openapi/typescript-api.ts";

const [folder = ""] = process.argv.slice(2);

const { astToString, default: openapiTypescript } = await import("openapi-typescript");
const types = await openapiTypescript(pathToFileURL("openapi.json"));
await writeFile(join(folder, "openapi-typescript.ts"), astToString(types));

const { createClient } = await import("@hey-api/openapi-ts");
await createClient({
  input: "openapi.json",
  output: join(folder, "hey-api"),
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "error", file: false },
});
