/** The 422 answers, fault by fault, as FastAPI words them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Conference, ShapeQuery } from "../../src/lib/room-schemas.ts";
import { laxBoolean, laxInteger, validate } from "../../src/lib/validation.ts";

const LevelQuery = z.object({ max_vmr: laxInteger.pipe(z.int().min(0).max(10_000)).optional() });
const NameQuery = z.object({ name: z.string() });
const EventBody = z.record(z.string(), z.unknown());

function faultsOf(schema: z.ZodType, value: unknown, place: "query" | "body"): unknown {
  try {
    return validate(schema, value, place);
  } catch (error) {
    return error instanceof Error && "details" in error ? error.details : error;
  }
}
const inQuery = (schema: z.ZodType, value: unknown) => faultsOf(schema, value, "query");
const inBody = (value: unknown, schema: z.ZodType = Conference) => faultsOf(schema, value, "body");

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
    ["2026-13-45T99:99:99", "invalid date or time"],
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
