/** Generates one operation of the API document from the contract of its function. */
import type { HttpContract } from "../../../src/lib/http/contract.ts";
import { parameterExample, requestExamples } from "./examples.ts";
import { responses } from "./responses.ts";
import { headerParameters, queryParameters, referenceTo } from "./schemas.ts";
import { security } from "./security.ts";

type Json = Record<string, unknown>;

/** Returns the operation of a function. Its operationId is the name in snake case, as in the specification. */
export function operation(name: string, contract: HttpContract): Json {
  const { access, summary, description, isDeprecated, body } = contract;
  const parameters = parametersOf(contract);
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
        description: `Maximum size: ${body.maxBytes / 1024 / 1024} MiB.`,
        content: {
          "application/json": {
            schema: referenceTo(body.published ?? body.schema),
            ...requestExamples(name),
          },
        },
      },
    }),
    responses: responses(name, contract),
  };
}

const correlationId = {
  name: "x-correlation-id",
  in: "header",
  required: false,
  description:
    "Identifies the request in the logs of everything that handles it. The response returns it. " +
    "The gateway makes one unless it is 1 to 128 letters, digits, `.`, `_` or `-`.",
  schema: { type: "string" },
};

function parametersOf({ route, query, headers }: HttpContract): Json[] {
  const roomName = {
    name: "room_name",
    in: "path",
    required: true,
    description: "The room's exact name, percent-encoded",
    schema: { type: "string" },
  };
  const parameters = [
    ...(route.includes("{room_name") ? [roomName] : []),
    ...(query ? queryParameters(query) : []),
    ...(headers ? headerParameters(headers) : []),
    correlationId,
  ];
  return parameters.map((parameter) => ({
    ...parameter,
    example: parameterExample(String(parameter["name"])),
  }));
}
