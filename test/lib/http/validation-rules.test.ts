/** Date-times as Pydantic reads them, and the words for rules that are no types. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { validate } from "../../../src/lib/http/validation.ts";

function inBody(value: unknown, schema: z.ZodType = Conference): unknown {
  try {
    return validate(schema, value, "body");
  } catch (error) {
    return error instanceof Error && "details" in error ? error.details : error;
  }
}

describe("date-times", () => {
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
});

describe("rules", () => {
  test("a rule of ours is told in its own words", () => {
    expect(
      inBody({ code: "x" }, z.object({ code: z.string().refine(() => false, "must be odd") })),
    ).toMatchObject({
      faults: [{ type: "value_error", msg: "Value error, must be odd", ctx: { error: {} } }],
    });
  });

  test("a text that is too long", () => {
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
});
