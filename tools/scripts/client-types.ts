/** Writes the types of the client, which type checks and linters need. */
import { writeClientTypes } from "./openapi/client-types.ts";

await writeClientTypes();
