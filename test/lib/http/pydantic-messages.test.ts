/** The types and texts of validation faults: those that FastAPI (Pydantic 2) returns. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
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

describe("types", () => {
  test.each([[[1, 2]], ["text"], [5], [null]])("%j where an object with known fields is expected", (body) => {
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

  test.each([[[1, 2]], ["text"], [null]])("%j where an object with any fields is expected", (body) => {
    expect(inBody(body, EventBody)).toEqual({
      faults: [{ type: "dict_type", loc: ["body"], msg: "Input should be a valid dictionary", input: body }],
    });
  });

  test("a number where a string is expected", () => {
    expect(inBody({ host_view: 5 })).toEqual({
      faults: [
        { type: "string_type", loc: ["body", "host_view"], msg: "Input should be a valid string", input: 5 },
      ],
    });
  });

  test("a string where a list is expected", () => {
    expect(inBody({ aliases: "x" })).toEqual({
      faults: [
        { type: "list_type", loc: ["body", "aliases"], msg: "Input should be a valid list", input: "x" },
      ],
    });
  });

  test("a list element that is not an object", () => {
    expect(inBody({ ivr_theme: [5] })).toEqual({
      faults: [
        {
          type: "dict_type",
          loc: ["body", "ivr_theme", 0],
          msg: "Input should be a valid dictionary",
          input: 5,
        },
      ],
    });
  });
});

describe("rules", () => {
  test("a custom rule is reported with its own text", () => {
    expect(
      inBody({ code: "x" }, z.object({ code: z.string().refine(() => false, "must be odd") })),
    ).toMatchObject({
      faults: [{ type: "value_error", msg: "Value error, must be odd", ctx: { error: {} } }],
    });
  });

  test("a string that is too long is reported with its limit", () => {
    expect(inBody({ code: "abc" }, z.object({ code: z.string().max(2) }))).toMatchObject({
      faults: [
        {
          type: "string_too_long",
          msg: "String should have at most 2 characters",
          ctx: { max_length: 2 },
        },
      ],
    });
  });

  test("a rule without a counterpart in Pydantic is a general value_error", () => {
    expect(inBody({ code: "x" }, z.object({ code: z.string().regex(/^\d$/) }))).toEqual({
      faults: [
        {
          type: "value_error",
          loc: ["body", "code"],
          msg: "Value error, not a valid value",
          input: "x",
          ctx: { error: {} },
        },
      ],
    });
  });
});
