/** Generates the API document (OpenAPI 3.0.3) from the contracts of the HTTP functions. */
import type { HttpContract } from "../../../src/lib/http/contract.ts";
import { version } from "../../../src/lib/version.ts";
import { description } from "./description.ts";
import { operation, securitySchemes } from "./operation.ts";
import { responseHeaders } from "./responses.ts";
import { componentSchemas } from "./schemas.ts";

type Json = Record<string, unknown>;

/** Returns the document. `functions` are the contracts of the HTTP functions by name, in the order of the document. */
export function createDocument(functions: Readonly<Record<string, HttpContract>>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, contract] of Object.entries(functions)) {
    const path = pathOf(contract);
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(name, contract) };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: "VMR Gateway",
      version,
      description,
      contact: { name: "Platform team", email: "platform-team@example.com" },
      license: { name: "MIT", url: "https://opensource.org/licenses/MIT" },
    },
    servers: [
      {
        url: "https://gateway.example.com",
        description: "Placeholder: each environment has its own URL",
      },
    ],
    tags: [
      { name: "private", description: "For server-side consumers with an OAuth 2.0 bearer token" },
      { name: "public", description: "For agents, platform event sinks and health probes" },
    ],
    paths,
    components: { schemas: componentSchemas(), headers: responseHeaders, securitySchemes },
  };
}

/** Returns the route without the constraint on its parameter. */
function pathOf({ route }: HttpContract): string {
  return `/${route.replace(/\{room_name:regex\(.*\)\}/, "{room_name}")}`;
}
