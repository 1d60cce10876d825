/** Generates the API document (OpenAPI 3.0.3) from the contracts of the HTTP functions. */
import { readdir, readFile } from "node:fs/promises";
import type { Access } from "../../src/lib/auth/access.ts";
import { maxBodyBytes } from "../../src/lib/http/body.ts";
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { version } from "../../src/lib/version.ts";
import { description } from "./description.ts";
import { examplesByFunction } from "./examples.ts";
import { responseHeaders, responses } from "./responses.ts";
import { componentSchemas, mediaExamples, parametersIn, referenceTo } from "./schemas.ts";

type Json = Record<string, unknown>;

const folder = new URL("../../src/functions/", import.meta.url);

/**
 * Loads the contracts of all HTTP functions by name, in the order in which src/main.ts registers them, which is a
 * reader's. Functions that it does not register come last.
 */
export async function loadHttpContracts(): Promise<Readonly<Record<string, HttpContract>>> {
  const main = await readFile(new URL("../main.ts", folder), "utf8");
  // The names of timers and queue functions end in `.timer.ts` and `.queue.ts`.
  const files = (await readdir(folder)).filter((file) => /^[a-z-]+\.ts$/.test(file));
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, HttpContract>),
  );
  const place = (name: string) => main.indexOf(`\n    ${name},`) >>> 0;
  const contracts = modules.flatMap((module) => Object.entries(module));
  return Object.fromEntries(contracts.toSorted(([one], [other]) => place(one) - place(other)));
}

/** Returns the text of openapi.json. Indented by more, it would be too long for Bicep, which loads it as text. */
export async function documentText(): Promise<string> {
  return `${JSON.stringify(createDocument(await loadHttpContracts()), null, 1)}\n`;
}

/** Returns the document. `functions` are the contracts of the HTTP functions by name, in the order of the document. */
function createDocument(functions: Readonly<Record<string, HttpContract>>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, contract] of Object.entries(functions)) {
    const path = pathOf(contract);
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(name, contract) };
  }
  return {
    openapi: "3.0.3",
    info: {
      title: "VMR gateway",
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

const scope = "api://22222222-2222-4222-8222-222222222222/.default";

const securitySchemes = {
  bearerToken: {
    type: "oauth2",
    description: "OAuth 2.0 client credentials. The scope is that of the consumer's own application.",
    flows: {
      clientCredentials: {
        tokenUrl: "https://login.example.com/11111111-1111-4111-8111-111111111111/oauth2/v2.0/token",
        scopes: { [scope]: "All private operations" },
      },
    },
  },
  agentToken: {
    type: "apiKey",
    in: "header",
    name: "x-auth-token",
    description: "The agent's bearer token for the contact-centre cloud",
  },
  eventSinkCredentials: {
    type: "http",
    scheme: "basic",
    description: "The credentials that the platform administrator enters for the event sink",
  },
} as const;

/** The schemes that each kind of access requires. */
const security: Record<Access, readonly Partial<Record<keyof typeof securitySchemes, readonly string[]>>[]> =
  {
    application: [{ bearerToken: [scope] }],
    agent: [{ agentToken: [] }],
    "event-sink": [{ eventSinkCredentials: [] }],
    anyone: [],
  };

/** Returns the operation of a function. Its operationId is the name in snake case, as in the specification. */
function operation(name: string, contract: HttpContract): Json {
  const { access, summary, description, isDeprecated, body } = contract;
  const parameters = parametersOf(contract);
  const examples = examplesByFunction[name] ?? {};
  return {
    operationId: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    summary,
    description,
    // As in the specification.
    tags: [access === "application" ? "private" : "public"],
    ...(isDeprecated && { deprecated: true }),
    security: security[access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        description: `Maximum size: ${maxBodyBytes / 1024 / 1024} MiB.`,
        content: {
          "application/json": {
            schema: referenceTo(body.published ?? body.schema),
            ...mediaExamples(examples.request),
          },
        },
      },
    }),
    responses: responses(contract, examples),
  };
}

const correlationId = {
  name: "x-correlation-id",
  in: "header",
  required: false,
  description:
    "Identifies the request in the logs of everything that handles it. The response returns it. " +
    "The gateway generates one unless it is 1 to 128 letters, digits, `.`, `_` or `-`.",
  schema: { type: "string" },
  example: "order-2026-11-21-0815",
};

function parametersOf({ route, query, headers }: HttpContract): Json[] {
  const roomName = {
    name: "room_name",
    in: "path",
    required: true,
    description: "The room's exact name, percent-encoded",
    schema: { type: "string" },
    example: "WsOWh_sZ3K5Z5lYTppNVJV3y",
  };
  return [
    ...(route.includes("{room_name") ? [roomName] : []),
    ...(query ? parametersIn("query", query) : []),
    ...(headers ? parametersIn("header", headers) : []),
    correlationId,
  ];
}
