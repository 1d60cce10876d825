/** Each operation of the API document: its texts, its statuses with their bodies, and valid examples. */
import { describe, expect, it } from "vitest";
import { type Body, bodiesOf, document, examplesOf, operations } from "../support/api-document.ts";
import { compileSchema } from "../support/api-operations.ts";

function faultsOf(body: Body): unknown[] {
  const validate = compileSchema(body.schema);
  return examplesOf(body).flatMap((example) => (validate(example) ? [] : [validate.errors]));
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

it("marks only the legacy operation as deprecated", () => {
  expect(operations.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId)).toEqual([
    "create_room",
  ]);
});

describe.each(operations)("$operationId", (operation) => {
  const { path, tags, security, summary, description, parameters, requestBody, responses } = operation;

  it("has a separate summary and description and the tag of its path", () => {
    expect(description).not.toContain(`${summary}.`);
    expect(description).toMatch(/\.$/);
    expect(tags).toEqual([path.startsWith("/public/") ? "public" : "private"]);
  });

  it("documents 404, 422 if it has input, and the statuses of authentication, throttling and the host", () => {
    const hasInput = requestBody !== undefined || parameters.some((parameter) => parameter.in === "query");
    const expected = [
      "400",
      "404",
      "414",
      "429",
      "431",
      "500",
      ...(hasInput ? ["422"] : []),
      ...(security.length > 0 ? ["401"] : []),
    ];
    expect(expected.filter((status) => !(status in responses))).toEqual([]);
    expect("422" in responses).toBe(hasInput);
  });

  it("has a description of every response, and a body unless the description denies it", () => {
    for (const [status, response] of Object.entries(responses)) {
      const isEmpty = ["202", "204", "400", "404", "414", "431"].includes(status);
      const isDenied = /without a body|no body/.test(response.description);
      const types = Object.keys(response.content ?? {});
      expect([status, isDenied, types]).toEqual([status, isEmpty, isEmpty ? [] : ["application/json"]]);
    }
  });

  it("documents the headers of 401, 429 and 503", () => {
    const wanted = { "401": "WWW-Authenticate", "429": "Retry-After", "503": "Retry-After" };
    const documented = Object.entries(wanted).filter(([status]) => status in responses);
    const incomplete = documented.filter(
      ([status, header]) => !(header in (responses[status]?.headers ?? {})),
    );
    expect(documented.length).toBeGreaterThan(0);
    expect(incomplete).toEqual([]);
  });

  it("has a valid example of every parameter and body, with known fields only", () => {
    const bodies = bodiesOf(operation);
    const parts: [string, Body][] = [
      ...bodies,
      ...parameters.map((part): [string, Body] => [part.name, part]),
    ];
    expect(bodies.length).toBeGreaterThan(0);
    for (const [what, part] of parts) {
      expect([what, examplesOf(part)]).not.toEqual([what, []]);
      expect([what, faultsOf(part)]).toEqual([what, []]);
    }
    for (const [what, body] of bodies.filter(([, { schema }]) => fieldsOf(schema).length > 0)) {
      const named = examplesOf(body)
        .flat()
        .flatMap((one) => Object.keys(one as object));
      expect([what, named.filter((name) => !fieldsOf(body.schema).includes(name))]).toEqual([what, []]);
    }
  });
});
