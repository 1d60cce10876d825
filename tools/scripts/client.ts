/** Builds the client's package: client/dist with modules and their types, and the licence. */
import { fileURLToPath } from "node:url";
import { compileClient } from "./client/compile.ts";

await compileClient(fileURLToPath(new URL("../../client", import.meta.url)));
console.log("client/dist");
