/** Checks answers against the API document: their status, and their body by its schema. */
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import type { Answer } from "./http-client.ts";

type Json = Record<string, unknown>;

export interface Operation {
  readonly method: string;
  /** As the document has it, `/room/{room_name}`. */
  readonly path: string;
  readonly hasBody: boolean;
  /** The names of its query parameters. */
  readonly query: readonly string[];
  /** Validators by status; undefined where the body must be empty. */
  readonly answers: ReadonlyMap<number, ValidateFunction | undefined>;
}

interface DocumentedOperation {
  readonly requestBody?: unknown;
  readonly parameters?: readonly { name: string; in: string }[];
  readonly responses: Record<string, { content?: { "application/json": { schema: Json } } }>;
}

const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Json> };
};

const ajv = new Ajv({ strict: false });
formats.default(ajv, ["date-time", "int64"]);
ajv.addSchema({ $id: "api", components: toJsonSchema(document.components) as Json });

/** OpenAPI 3.0 says `nullable`, which JSON Schema does not know. */
function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== "object" || value === null) return value;
  const { nullable, ...schema } = Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, key === "example" ? entry : toJsonSchema(entry)]),
  );
  if (typeof schema["$ref"] === "string") schema["$ref"] = schema["$ref"].replace(/^#/, "api#");
  return nullable === true ? { anyOf: [schema, { type: "null" }] } : schema;
}

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { requestBody, parameters = [], responses }]) => ({
    method: method.toUpperCase(),
    path,
    hasBody: requestBody !== undefined,
    query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    answers: new Map(
      Object.entries(responses).map(([status, { content }]) => {
        const schema = content?.["application/json"].schema;
        return [Number(status), schema && ajv.compile(toJsonSchema(schema) as Json)];
      }),
    ),
  })),
);

/** The operation that a request addresses; undefined when there is none. */
export function operationOf(method: string, target: string): Operation | undefined {
  const given = pathOf(target)
    .replace(/(?<=.)\/$/, "")
    .split("/");
  return operations.find(({ method: own, path }) => {
    const parts = path.replace(/\/$/, "").split("/");
    return (
      own === method &&
      parts.length === given.length &&
      parts.every((part, at) => fits(part, given[at] ?? "", path))
    );
  });
}

/** With its dot segments resolved, as the host does; a backslash is no slash to it. */
function pathOf(target: string): string {
  return new URL(`http://127.0.0.1${target.replaceAll("\\", "%5C")}`).pathname;
}

function fits(part: string, given: string, path: string): boolean {
  if (!part.startsWith("{")) return part === given.toLowerCase();
  return given !== "" && !(path.startsWith("/room/") && /^(?:list|bulk)$/i.test(given));
}

/** What is wrong with an answer by the document, or undefined. */
export function faultOf(method: string, target: string, answer: Answer): string | undefined {
  const { status, text, json, headers } = answer;
  const operation = operationOf(method, target);
  // The host's own page.
  if (pathOf(target) === "/") return undefined;
  if (!operation)
    return status === 404 || status === 400 ? emptyFault(answer) : `status ${status} without an operation`;
  if (status === 500) return "status 500";
  if (!operation.answers.has(status)) return `undocumented status ${status}`;
  const validate = operation.answers.get(status);
  if (!validate) return emptyFault(answer);
  if (headers["content-type"] !== "application/json") return `content type ${headers["content-type"]}`;
  return validate(json)
    ? undefined
    : `body off schema: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 500)}`;
}

function emptyFault({ status, text }: Answer): string | undefined {
  return text === "" ? undefined : `a body with status ${status}: ${text.slice(0, 200)}`;
}
