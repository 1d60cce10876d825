/** Generates the API document (OpenAPI 3.0.3) from the contracts of the HTTP functions. */
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { version } from "../../src/lib/wiring/version.ts";
import { operation, tagOf } from "./operation.ts";
import { responseHeaders } from "./responses.ts";
import { componentSchemas } from "./schemas.ts";
import { securitySchemes } from "./security.ts";

type Json = Record<string, unknown>;

const methods = ["GET", "POST", "PATCH", "DELETE"];

/** Returns the document. `functions` are the contracts of the HTTP functions by the name of each function. */
export function createDocument(functions: Readonly<Record<string, HttpContract>>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, contract] of Object.entries(functions).toSorted(byTagPathAndMethod)) {
    const path = pathOf(contract);
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(name, contract) };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: "VMR Gateway",
      version,
      description: [
        "Hands out pre-provisioned virtual meeting rooms (VMRs) hosted on a conferencing platform.",
        "Minor versions may add response fields; clients must ignore fields they do not know.",
        "The texts in `detail` are meant for people and may change; clients must rely on the status.",
      ].join(" "),
      contact: { name: "Platform team", email: "platform-team@example.com" },
      license: { name: "MIT", url: "https://opensource.org/licenses/MIT" },
    },
    servers: [
      {
        url: "https://gateway.example.com",
        description: "Placeholder: each environment has its own address",
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

type Entry = readonly [string, HttpContract];

function byTagPathAndMethod([, one]: Entry, [, other]: Entry): number {
  return (
    compare(tagOf(one), tagOf(other)) ||
    compare(pathOf(one), pathOf(other)) ||
    methods.indexOf(one.method) - methods.indexOf(other.method)
  );
}

// Comparing code units sorts a parameter after every literal, regardless of the locale.
function compare(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

/** Returns the route without the constraint on its parameter. */
function pathOf({ route }: HttpContract): string {
  return `/${route.replace(/\{room_name:.*\}$/, "{room_name}")}`;
}
