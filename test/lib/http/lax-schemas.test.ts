/** Integers, booleans and date-times: which inputs Pydantic's lax mode accepts, and its faults for the others. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { ShapeQuery } from "../../../src/lib/api/room-schemas.ts";
import { laxBoolean, laxInteger } from "../../../src/lib/http/lax-schemas.ts";
import { validate } from "../../../src/lib/http/validation.ts";

const LevelQuery = z.object({ max_vmr: laxInteger.pipe(z.int().min(0).max(10_000)).optional() });

function faultsOf(schema: z.ZodType, value: unknown, place: "query" | "body"): unknown {
  try {
    return validate(schema, value, place);
  } catch (error) {
    return error instanceof Error && "details" in error ? error.details : error;
  }
}
const inQuery = (schema: z.ZodType, value: unknown) => faultsOf(schema, value, "query");
const inBody = (value: unknown) => faultsOf(Conference, value, "body");

describe("integers", () => {
  const parsing = {
    type: "int_parsing",
    loc: ["query", "max_vmr"],
    msg: "Input should be a valid integer, unable to parse string as an integer",
  };
  test.each(["abc", "2.5", "1e3", "", "0x10", "1__0", "½", "12abc", "--1"])(
    "%j is not an integer in a query",
    (text) => {
      expect(inQuery(LevelQuery, { max_vmr: text })).toEqual({ faults: [{ ...parsing, input: text }] });
    },
  );

  test.each([
    ["12", 12],
    ["12.0", 12],
    ["12.", 12],
    [" 12 ", 12],
    ["+12", 12],
    ["1_000", 1000],
    ["0_0_7", 7],
    ["0", 0],
    ["10000", 10_000],
  ])("%j is the integer %i in a query", (text, value) => {
    expect(inQuery(LevelQuery, { max_vmr: text })).toEqual({ max_vmr: value });
  });

  test("-1 is below the minimum 0", () => {
    expect(inQuery(LevelQuery, { max_vmr: "-1" })).toEqual({
      faults: [
        {
          type: "greater_than_equal",
          loc: ["query", "max_vmr"],
          msg: "Input should be greater than or equal to 0",
          input: "-1",
          ctx: { ge: 0 },
        },
      ],
    });
  });

  test("10001 is above the maximum 10000", () => {
    expect(inQuery(LevelQuery, { max_vmr: "10001" })).toEqual({
      faults: [
        {
          type: "less_than_equal",
          loc: ["query", "max_vmr"],
          msg: "Input should be less than or equal to 10000",
          input: "10001",
          ctx: { le: 10_000 },
        },
      ],
    });
  });

  test.each([
    ["-99999999999999999999", "greater than or equal to 0"],
    ["99999999999999999999", "less than or equal to 10000"],
  ])("%s, beyond the safe integers, is reported as out of bounds", (input, bound) => {
    const fault = { msg: `Input should be ${bound}`, input };
    expect(inQuery(LevelQuery, { max_vmr: input })).toMatchObject({ faults: [fault] });
  });

  test("the number 2.5 is not an integer in a body", () => {
    expect(inBody({ participant_limit: 2.5 })).toEqual({
      faults: [
        {
          type: "int_from_float",
          loc: ["body", "participant_limit"],
          msg: "Input should be a valid integer, got a number with a fractional part",
          input: 2.5,
        },
      ],
    });
  });

  test("an array is not an integer in a body", () => {
    expect(inBody({ participant_limit: [1] })).toEqual({
      faults: [
        {
          type: "int_type",
          loc: ["body", "participant_limit"],
          msg: "Input should be a valid integer",
          input: [1],
        },
      ],
    });
  });

  test("true is the integer 1 in a body, and false is 0", () => {
    expect(inBody({ participant_limit: true, id: false })).toEqual({ participant_limit: 1, id: 0 });
  });

  test("every safe integer is parsed from its decimal text and from its number", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect([laxInteger.parse(String(value)), laxInteger.parse(value)]).toEqual([value, value]);
      }),
    );
  });
});

describe("booleans", () => {
  const words = [
    ["true", "1", "on", "t", "y", "yes"],
    ["false", "0", "off", "f", "n", "no"],
  ];
  const spellings = words.flatMap((group, index) =>
    group.flatMap((word) =>
      [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)].map(
        (spelling) => [spelling, index === 0] as const,
      ),
    ),
  );
  test.each(spellings)("%s is the boolean %s in a query", (spelling, value) => {
    expect(inQuery(ShapeQuery, { constrained_attributes: spelling })).toEqual({
      constrained_attributes: value,
    });
  });

  test("constrained_attributes defaults to true", () => {
    expect(inQuery(ShapeQuery, {})).toEqual({ constrained_attributes: true });
  });

  test.each(["maybe", "", "2", " true", "yes!", "null"])("%j is not a boolean in a query", (text) => {
    expect(inQuery(ShapeQuery, { constrained_attributes: text })).toEqual({
      faults: [
        {
          type: "bool_parsing",
          loc: ["query", "constrained_attributes"],
          msg: "Input should be a valid boolean, unable to interpret input",
          input: text,
        },
      ],
    });
  });

  test.each([
    [1, true],
    [0, false],
    [true, true],
  ])("%j is the boolean %s in a body", (value, read) => {
    expect(laxBoolean.parse(value)).toBe(read);
  });

  test.each([2, -1, 0.5])("%j is not a boolean in a body", (input) => {
    expect(inBody({ allow_guests: input })).toMatchObject({
      faults: [{ type: "bool_parsing", loc: ["body", "allow_guests"], input }],
    });
  });

  test("an object is not a boolean in a body", () => {
    expect(inBody({ allow_guests: {} })).toEqual({
      faults: [
        {
          type: "bool_type",
          loc: ["body", "allow_guests"],
          msg: "Input should be a valid boolean",
          input: {},
        },
      ],
    });
  });
});

describe("date-times", () => {
  test.each([
    ["short", "input is too short"],
    ["2026-1-15", "input is too short"],
    ["2026-13-45", "invalid date or time"],
    ["2026-13-45T99:99:99", "invalid date or time"],
    ["January 15, 2026", "invalid date or time"],
    ["2026/01/15 09:30", "invalid date or time"],
  ])("%j is not a date-time: %s", (text, reason) => {
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
  ])("%j is a date-time and is passed on unchanged", (value) => {
    expect(inBody({ creation_time: value })).toEqual({ creation_time: value });
  });

  test("an object is not a date-time", () => {
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
