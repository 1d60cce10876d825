/** The API document (OpenAPI 3.0.3), made from the contracts of the HTTP functions. */
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { version } from "../../src/lib/wiring/version.ts";
import { operation, tagOf } from "./operation.ts";
import { responseHeaders } from "./responses.ts";
import { componentSchemas } from "./schemas.ts";
import { securitySchemes } from "./security.ts";

type Json = Record<string, unknown>;

const methods = ["GET", "POST", "PATCH", "DELETE"];

/** The whole document. `functions` are the HTTP functions by name, as they are registered. */
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
        "Hands out pre-provisioned virtual meeting rooms of a conferencing platform.",
        "Answers may get further fields in a minor version: readers ignore what they do not know.",
        "Texts in `detail` are for people and may change; statuses are the contract.",
      ].join(" "),
      contact: { name: "Platform team", email: "platform-team@example.com" },
      license: { name: "MIT", url: "https://opensource.org/licenses/MIT" },
    },
    servers: [
      { url: "https://gateway.example.com", description: "Stands for the address of an environment" },
    ],
    tags: [
      { name: "private", description: "For server-side consumers with an OAuth 2.0 bearer token" },
      { name: "public", description: "For agents, the platform's event sinks and probes" },
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

// By code points, a parameter comes after every fixed word, and no locale changes the order.
function compare(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

/** The route without the host's constraints on its parameter. */
function pathOf({ route }: HttpContract): string {
  return `/${route.replace(/\{room_name:.*\}$/, "{room_name}")}`;
}
