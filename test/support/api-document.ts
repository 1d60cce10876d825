/** The API document, parsed: its operations, and every schema and example in it. */
import { readFileSync } from "node:fs";
import * as z from "zod";

const Json = z.record(z.string(), z.unknown());
const Examples = z.record(z.string(), z.object({ summary: z.string().optional(), value: z.unknown() }));
const Media = z.object({ schema: Json, example: z.unknown().optional(), examples: Examples.optional() });
const Content = z.record(z.string(), Media);
const Parameter = Media.extend({
  name: z.string(),
  in: z.string(),
  required: z.boolean(),
  description: z.string(),
});
const Response = z.object({
  description: z.string().min(1),
  headers: Json.optional(),
  content: Content.optional(),
});
const Operation = z.strictObject({
  operationId: z.string(),
  summary: z.string().min(1),
  description: z.string().min(1),
  tags: z.array(z.string()),
  deprecated: z.boolean().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ required: z.boolean(), description: z.string(), content: Content }).optional(),
  responses: z.record(z.string(), Response),
});
const ApiDocument = z.strictObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  tags: z.array(z.object({ name: z.string(), description: z.string().min(1) })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.strictObject({
    schemas: z.record(z.string(), Json),
    headers: z.record(z.string(), Media.extend({ description: z.string() })),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
  }),
});

export const documentText = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
export const document = ApiDocument.parse(JSON.parse(documentText));

/** Every operation with its path and method. */
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

export interface Body {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
  readonly examples?: z.infer<typeof Examples> | undefined;
}

/** Every example of a body or parameter, or the one of its schema. */
export function examplesOf({ schema, example, examples }: Body): unknown[] {
  if (examples) return Object.values(examples).map(({ value }) => value);
  const component = document.components.schemas[String(schema["$ref"]).replace(/.*\//, "")];
  return [example ?? component?.["example"]].filter((one) => one !== undefined);
}

/** Every request and response body of an operation, by its role and content type. */
export function bodiesOf({
  requestBody,
  responses,
}: Pick<z.infer<typeof Operation>, "requestBody" | "responses">): [string, Body][] {
  const contents: [string, z.infer<typeof Content> | undefined][] = [
    ["request", requestBody?.content],
    ...Object.entries(responses).map(([status, { content }]): [string, typeof content] => [status, content]),
  ];
  return contents.flatMap(([what, content]) =>
    Object.entries(content ?? {}).map(([type, media]): [string, Body] => [`${what} ${type}`, media]),
  );
}

/** Every object in a value with its place, outer objects first. */
export function* nodes(value: unknown, place = "#"): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [place, Json.parse(value)];
  for (const [key, inner] of Object.entries(value)) yield* nodes(inner, `${place}/${key}`);
}
