/** The 422 answers to bodies: where the fault stands, and FastAPI's words for it. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { validate } from "../../../src/lib/http/validation.ts";

const EventBody = z.record(z.string(), z.unknown());

function inBody(value: unknown, schema: z.ZodType = Conference): unknown {
  try {
    return validate(schema, value, "body");
  } catch (error) {
    return error instanceof Error && "details" in error ? error.details : error;
  }
}

describe("bodies", () => {
  test.each([[[1, 2]], ["text"], [5], [null]])("%j where a model is expected", (body) => {
    expect(inBody(body)).toEqual({
      faults: [
        {
          type: "model_attributes_type",
          loc: ["body"],
          msg: "Input should be a valid dictionary or object to extract fields from",
          input: body,
        },
      ],
    });
  });

  test.each([[[1, 2]], ["text"], [null]])("%j where any object is expected", (body) => {
    expect(inBody(body, EventBody)).toEqual({
      faults: [{ type: "dict_type", loc: ["body"], msg: "Input should be a valid dictionary", input: body }],
    });
  });

  test("a number where text is expected", () => {
    expect(inBody({ host_view: 5 })).toEqual({
      faults: [
        { type: "string_type", loc: ["body", "host_view"], msg: "Input should be a valid string", input: 5 },
      ],
    });
  });

  test("text where a list is expected", () => {
    expect(inBody({ aliases: "x" })).toEqual({
      faults: [
        { type: "list_type", loc: ["body", "aliases"], msg: "Input should be a valid list", input: "x" },
      ],
    });
  });

  test("an element of a list", () => {
    expect(inBody({ aliases: [{ id: 1 }, { id: "abc" }] })).toEqual({
      faults: [
        {
          type: "int_parsing",
          loc: ["body", "aliases", 1, "id"],
          msg: "Input should be a valid integer, unable to parse string as an integer",
          input: "abc",
        },
      ],
    });
  });

  test("an element that is no object", () => {
    expect(inBody({ ivr_theme: ["/api/admin/configuration/v1/ivr_theme/1/"] })).toEqual({
      faults: [
        {
          type: "dict_type",
          loc: ["body", "ivr_theme", 0],
          msg: "Input should be a valid dictionary",
          input: "/api/admin/configuration/v1/ivr_theme/1/",
        },
      ],
    });
  });

  test("all faults are told, in the order of the fields", () => {
    expect(inBody({ participant_limit: "x", allow_guests: "maybe", name: 5 })).toMatchObject({
      faults: [
        { loc: ["body", "allow_guests"] },
        { loc: ["body", "name"] },
        { loc: ["body", "participant_limit"] },
      ],
    });
  });
});
