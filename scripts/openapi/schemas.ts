/** The component schemas of the API document: the zod schemas of the app, and the bodies of failures. */
import * as z from "zod";
import type { Examples } from "./examples.ts";

type Schema = Record<string, unknown>;

const options: Parameters<typeof z.toJSONSchema>[1] = {
  target: "openapi-3.0",
  io: "output",
  override({ jsonSchema }) {
    // Minor versions may add fields, so no schema is closed. Generators take an object without fields for an empty one.
    if (jsonSchema.additionalProperties !== true) delete jsonSchema.additionalProperties;
    if (jsonSchema.type === "object" && jsonSchema.properties === undefined)
      jsonSchema.additionalProperties = true;
    if (jsonSchema.type === "integer" && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
      delete jsonSchema.minimum;
      delete jsonSchema.maximum;
      jsonSchema.format = "int64";
    }
  },
};

// In the form that FastAPI publishes.
const validationSchemas: Record<string, Schema> = {
  ValidationError: {
    title: "ValidationError",
    type: "object",
    required: ["loc", "msg", "type"],
    properties: {
      loc: {
        title: "Location",
        type: "array",
        // Strings and integers, for which generators make a class that cannot be read.
        items: {},
      },
      msg: { title: "Message", type: "string" },
      type: { title: "Error Type", type: "string" },
      input: { title: "Input" },
      ctx: { title: "Context", type: "object", additionalProperties: true },
    },
  },
  HTTPValidationError: {
    title: "HTTPValidationError",
    type: "object",
    required: ["detail"],
    properties: {
      detail: { title: "Detail", type: "array", items: { $ref: "#/components/schemas/ValidationError" } },
    },
  },
  Failure: {
    title: "Failure",
    description: "An error, described by a fixed text",
    type: "object",
    required: ["detail"],
    properties: { detail: { type: "string" } },
  },
};

/** Returns every schema that has an id, by that id, and the schemas of failures. */
export function componentSchemas(): Record<string, Schema> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    ...options,
    uri: (id) => `#/components/schemas/${id}`,
  } as Parameters<typeof z.toJSONSchema>[1]) as { schemas: Record<string, Schema> };
  const own = Object.entries(schemas).map(([name, { $id: _id, ...schema }]) => [
    name,
    { title: name, ...schema },
  ]);
  const all: Record<string, Schema> = { ...Object.fromEntries(own), ...validationSchemas };
  // In the order of their names, because the registry has the order in which modules were loaded.
  return Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns the parameters of a query or header schema, in the order of its fields. */
export function parametersIn(place: "query" | "header", schema: z.ZodType): Schema[] {
  const { properties = {} } = z.toJSONSchema(schema, options) as { properties?: Record<string, Schema> };
  return Object.entries(properties).map(([name, { description, example, ...rest }]) => ({
    name,
    in: place,
    required: false,
    description,
    schema: rest,
    example,
  }));
}

/** Returns a reference to the component of a schema. Throws an error if the schema has no id. */
export function referenceTo(schema: z.ZodType): Schema {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error("A published schema needs an id: add .meta({ id }) to it");
  return { $ref: `#/components/schemas/${id}` };
}

/** Returns the fields of a media type that contain its examples: viewers show a single one without its name. */
export function mediaExamples(examples: Examples = {}): Record<string, unknown> {
  const all = Object.values(examples);
  return all.length === 1 ? { example: all[0]?.value } : { examples };
}
