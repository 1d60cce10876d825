/** The API document, parsed as far as tests read it. The linter checks its form. */
import { readFileSync } from "node:fs";
import * as z from "zod";

const Json = z.record(z.string(), z.unknown());
const Media = z.object({ schema: Json, example: z.unknown().optional(), examples: Json.default({}) });
const Content = z.record(z.string(), Media);
const Operation = z.object({
  operationId: z.string(),
  description: z.string(),
  deprecated: z.boolean().default(false),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(Media.extend({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.object({ required: z.literal(true), content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), headers: Json.default({}), content: Content.default({}) }),
  ),
});
const ApiDocument = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Json) }),
});

const file = new URL("../../openapi.json", import.meta.url);
export const document = ApiDocument.parse(JSON.parse(readFileSync(file, "utf8")));

/** Every operation with its path and method. */
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

/** Every request and response body of an operation. */
export function bodiesOf({ requestBody, responses }: z.infer<typeof Operation>): z.infer<typeof Media>[] {
  const contents = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content }) => content)];
  return contents.flatMap((content) => Object.values(content));
}

/** Whether a body or a parameter, or the component that it refers to, has an example. */
export function hasExample({ schema, example, examples }: z.infer<typeof Media>): boolean {
  const component = document.components.schemas[String(schema["$ref"]).replace(/.*\//, "")];
  const all = [example, ...Object.values(examples), component?.["example"]];
  return all.some((one) => one !== undefined);
}
