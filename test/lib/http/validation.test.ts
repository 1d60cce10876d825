/** Queries, integers and booleans as FastAPI reads them, and its words for what it cannot read. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { ShapeQuery } from "../../../src/lib/api/room-schemas.ts";
import { laxBoolean, laxInteger } from "../../../src/lib/http/lax-schemas.ts";
import { validate } from "../../../src/lib/http/validation.ts";

const LevelQuery = z.object({ max_vmr: laxInteger.pipe(z.int().min(0).max(10_000)).optional() });
const NameQuery = z.object({ name: z.string() });

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
  test.each(["abc", "2.5", "1e3", "", "0x10", "1__0", "½", "12abc", "--1"])("max_vmr=%j", (text) => {
    expect(inQuery(LevelQuery, { max_vmr: text })).toEqual({ faults: [{ ...parsing, input: text }] });
  });

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
  ])("max_vmr=%j is %i", (text, value) => {
    expect(inQuery(LevelQuery, { max_vmr: text })).toEqual({ max_vmr: value });
  });

  test("max_vmr=-1 is below its limit", () => {
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

  test("max_vmr=10001 is above its limit", () => {
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
  ])("max_vmr=%s is out of its bounds, not unreadable", (input, bound) => {
    const fault = { msg: `Input should be ${bound}`, input };
    expect(inQuery(LevelQuery, { max_vmr: input })).toMatchObject({ faults: [fault] });
  });

  test("2.5 as a number in a body", () => {
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

  test("an array in a body", () => {
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

  test("true in a body is 1, and false is 0", () => {
    expect(inBody({ participant_limit: true, id: false })).toEqual({ participant_limit: 1, id: 0 });
  });

  test("any safe integer is read from its decimal text and from its number", () => {
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
  test.each(spellings)("constrained_attributes=%s is %s", (spelling, value) => {
    expect(inQuery(ShapeQuery, { constrained_attributes: spelling })).toEqual({
      constrained_attributes: value,
    });
  });

  test("constrained_attributes is true when it is absent", () => {
    expect(inQuery(ShapeQuery, {})).toEqual({ constrained_attributes: true });
  });

  test.each(["maybe", "", "2", " true", "yes!", "null"])("constrained_attributes=%j", (text) => {
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
  ])("%j in a body is %s", (value, read) => {
    expect(laxBoolean.parse(value)).toBe(read);
  });

  test.each([2, -1, 0.5])("%j in a body is no boolean", (input) => {
    expect(inBody({ allow_guests: input })).toMatchObject({
      faults: [{ type: "bool_parsing", loc: ["body", "allow_guests"], input }],
    });
  });

  test("an object in a body", () => {
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

test("a missing required query parameter", () => {
  expect(inQuery(NameQuery, {})).toEqual({
    faults: [{ type: "missing", loc: ["query", "name"], msg: "Field required", input: null }],
  });
});
