/** The 422 answers to bodies: where the fault stands, and FastAPI's words for it. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Conference } from "../../src/lib/room-schemas.ts";
import { validate } from "../../src/lib/validation.ts";

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

  test.each([
    ["short", "input is too short"],
    ["2026-1-15", "input is too short"],
    ["2026-13-45", "invalid date or time"],
    ["2026-13-45T99:99:99", "invalid date or time"],
    ["January 15, 2026", "invalid date or time"],
    ["2026/01/15 09:30", "invalid date or time"],
  ])("the date-time %j", (text, reason) => {
    expect(inBody({ creation_time: text })).toEqual({
      faults: [
        {
          type: "datetime_from_date_parsing",
          loc: ["body", "creation_time"],
          msg: `Input should be a valid datetime or date, ${reason}`,
          input: text,
          ctx: { error: reason },
        },
      ],
    });
  });

  test.each([
    "2026-01-15",
    "2026-01-15T09:30",
    "2026-01-15T09:30:00.123456",
    "2026-01-15 09:30:00Z",
    "2026-01-15t09:30:00z",
    "2026-01-15_09:30",
    "2026-01-15T09:30:00+01:00",
    "2026-01-15T09:30:00-0100",
    1_795_250_000.5,
  ])("%j is a date-time, and passed on as it came", (value) => {
    expect(inBody({ creation_time: value })).toEqual({ creation_time: value });
  });

  test("a date-time that is neither text nor number", () => {
    expect(inBody({ creation_time: {} })).toEqual({
      faults: [
        {
          type: "datetime_type",
          loc: ["body", "creation_time"],
          msg: "Input should be a valid datetime",
          input: {},
        },
      ],
    });
  });

  test("a rule that Pydantic has no words for", () => {
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
