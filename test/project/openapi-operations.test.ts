/** Each operation of the API document: its words, its statuses with their bodies, and examples that are true to them. */
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Body, bodiesOf, document, operations } from "./api-document.ts";

// The operations of the specification's section 4, each with its successful statuses.
const specified: Record<string, [method: string, path: string, statuses: string[]]> = {
  create_room_from_queue: ["post", "/room/create", ["200"]],
  create_room: ["post", "/room/create/old", ["200"]],
  list_rooms: ["get", "/room/list", ["200"]],
  get_room: ["get", "/room/{room_name}", ["200"]],
  update_room: ["patch", "/room/{room_name}", ["202"]],
  delete_room: ["delete", "/room/{room_name}", ["204"]],
  bulk_create_rooms: ["post", "/room/bulk/", ["202"]],
  bulk_delete_rooms: ["delete", "/room/bulk/", ["204"]],
  get_public_room: ["get", "/public/room/{room_name}", ["200"]],
  event_sink: ["post", "/public/event_sink", ["204"]],
  health_check: ["get", "/public/health", ["200"]],
};

const ajv = new Ajv({ strict: false, formats: { int64: true } });
addFormats.default(ajv, ["date-time"]);
ajv.addSchema({ $id: "document", components: { schemas: document.components.schemas } });

/** Validates with the components in reach. OpenAPI's references are those of JSON Schema, from the document's root. */
function faultsOf({ schema, example }: Body): unknown {
  const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
  ajv.validate(inDocument, example);
  return ajv.errors;
}

/** The fields that a schema names, for an object or the elements of a list. */
function fieldsOf(schema: Readonly<Record<string, unknown>>): string[] {
  const reference = schema["$ref"];
  const named =
    typeof reference === "string" ? document.components.schemas[reference.split("/").at(-1) ?? ""] : schema;
  const inner = [named?.["anyOf"], named?.["items"]]
    .flat()
    .filter((part) => typeof part === "object" && part !== null);
  const own = Object.keys((named?.["properties"] ?? {}) as object);
  return [...own, ...inner.flatMap((part) => fieldsOf(part as Record<string, unknown>))];
}

it("has the operations of the specification, no more and no less", () => {
  const found = operations.map(({ operationId, method, path, responses }) => [
    operationId,
    [method, path, Object.keys(responses).filter((status) => status.startsWith("2"))],
  ]);
  expect(Object.fromEntries(found)).toEqual(specified);
});

it("marks the legacy operation as deprecated, and no other", () => {
  expect(operations.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId)).toEqual([
    "create_room",
  ]);
});

describe.each(operations.map((operation) => [operation.operationId, operation] as const))(
  "%s",
  (_, operation) => {
    const { path, tags, security, summary, description, parameters, requestBody, responses } = operation;

    it("has words of its own, the tag of its path and the scheme of its access", () => {
      expect(description).not.toContain(`${summary}.`);
      expect(description).toMatch(/\.$/);
      expect(tags).toEqual([path.startsWith("/public/") ? "public" : "private"]);
      const schemes: Record<string, string[]> = {
        "/public/room/{room_name}": ["agentToken"],
        "/public/event_sink": ["eventSinkCredentials"],
        "/public/health": [],
      };
      expect(security.flatMap((scheme) => Object.keys(scheme))).toEqual(schemes[path] ?? ["bearerToken"]);
    });

    it("names 404 and, with input, 422, as the specification says, and what stands in front of it", () => {
      const hasInput = requestBody !== undefined || parameters.some((parameter) => parameter.in === "query");
      const expected = [
        "400",
        "404",
        "429",
        "500",
        ...(hasInput ? ["422"] : []),
        ...(security.length > 0 ? ["401"] : []),
      ];
      expect(expected.filter((status) => !(status in responses))).toEqual([]);
      expect("422" in responses).toBe(hasInput);
    });

    it.each(Object.entries(responses))(
      "%s is described, and has a body unless it says that there is none",
      (status, response) => {
        const isEmpty = ["202", "204", "400", "404"].includes(status);
        expect(response.content === undefined).toBe(isEmpty);
        expect(/without a body|no body/.test(response.description)).toBe(isEmpty);
        expect(Object.keys(response.content ?? {})).toEqual(isEmpty ? [] : ["application/json"]);
      },
    );

    it("says what to do about 401, 429 and 503", () => {
      const wanted = { "401": "WWW-Authenticate", "429": "Retry-After", "503": "Retry-After" };
      const answered = Object.entries(wanted).filter(([status]) => status in responses);
      const silent = answered.filter(([status, header]) => !(header in (responses[status]?.headers ?? {})));
      expect(answered.length).toBeGreaterThan(0);
      expect(silent).toEqual([]);
    });

    it("gives an example of every parameter and body, and each example is valid and names only known fields", () => {
      const bodies = bodiesOf(operation);
      const parts: [string, Body][] = [
        ...bodies,
        ...parameters.map((part): [string, Body] => [part.name, part]),
      ];
      expect(bodies.length).toBeGreaterThan(0);
      for (const [what, part] of parts) {
        expect([what, part.example]).not.toEqual([what, undefined]);
        expect([what, faultsOf(part)]).toEqual([what, null]);
      }
      for (const [what, { schema, example }] of bodies.filter(
        ([, { schema }]) => fieldsOf(schema).length > 0,
      )) {
        const named = [example].flat().flatMap((one) => Object.keys(one as object));
        expect([what, named.filter((name) => !fieldsOf(schema).includes(name))]).toEqual([what, []]);
      }
    });
  },
);

it("the example of a 422 is a fault that the operation can have: in its body or in one of its parameters", () => {
  const Example = z.object({
    detail: z.array(z.object({ loc: z.tuple([z.string()]).rest(z.string()) })).length(1),
  });
  const wrong = operations.filter(({ responses, requestBody, parameters }) => {
    if (!("422" in responses)) return false;
    const { detail } = Example.parse(responses["422"]?.content?.["application/json"]?.example);
    const [place, name] = detail[0]?.loc ?? [];
    const isParameter = parameters.some((parameter) => parameter.in === place && parameter.name === name);
    return requestBody ? place !== "body" : !isParameter;
  });
  expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
});

it("the examples' check bites: a wrong type, a missing field and a broken reference are seen", () => {
  const created = { $ref: "#/components/schemas/CreatedRoom" };
  expect(faultsOf({ schema: created, example: { id: 1 } })).not.toBeNull();
  const health = { $ref: "#/components/schemas/Health" };
  expect(faultsOf({ schema: health, example: { status: "alive", timestamp: "yesterday" } })).not.toBeNull();
  expect(() => faultsOf({ schema: { $ref: "#/components/schemas/Nothing" }, example: {} })).toThrow(
    "Nothing",
  );
});
