/** Validation that is as lenient as Pydantic, reports faults as FastAPI does, and never returns secrets. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { GatewayError } from "../../../src/lib/errors.ts";
import { faultWithInput, laxInteger, readQuery, validate } from "../../../src/lib/http/validation.ts";
import { Conference, ShapeQuery } from "../../../src/lib/rooms/schemas.ts";

const truthy = ["true", "TRUE", "tRuE", "1", "on", "On", "t", "T", "y", "Y", "yes", "YES"];
const falsy = ["false", "FALSE", "0", "off", "OFF", "f", "F", "n", "N", "no", "No"];
const refusedBooleans = ["", " true", "false ", "true,false", "null", "tru", "2", "-1", "1.0"];

const LevelQuery = z.object({ max_vmr: laxInteger.pipe(z.int().min(0).max(10_000)).optional() });

/** Returns what was read, or the details of the failure. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof GatewayError && error.code === "invalid-request" ? error.details : error;
  }
}
const inQuery = (schema: z.ZodType, value: unknown) => outcomeOf(() => validate(schema, value, "query"));
const inBody = (value: unknown, schema: z.ZodType = Conference) =>
  outcomeOf(() => validate(schema, value, "body"));
const level = (text: string) => inQuery(LevelQuery, { max_vmr: text });

describe("A query", () => {
  test.each([
    ["12.0", 12],
    [" +12. ", 12],
    ["1_0_00", 1000],
    ["0", 0],
    ["10000", 10_000],
  ])("is valid with %j for the integer %i", (text, value) => {
    expect(level(text)).toEqual({ max_vmr: value });
  });

  test.each(["abc", "2.5", "1e3", "", "0x10", "1__0", "½", "12abc", "--1"])(
    "has the fault int_parsing with %j for an integer",
    (input) => {
      const msg = "Input should be a valid integer, unable to parse string as an integer";
      const loc = ["query", "max_vmr"];
      expect(level(input)).toEqual({ faults: [{ type: "int_parsing", loc, msg, input }] });
    },
  );

  test.each([
    ["-1", "greater_than_equal", "greater than or equal to 0", { ge: 0 }],
    ["10001", "less_than_equal", "less than or equal to 10000", { le: 10_000 }],
    // Beyond the integers that a number can have, that is the bound.
    [
      "99999999999999999999",
      "less_than_equal",
      `less than or equal to ${Number.MAX_SAFE_INTEGER}`,
      { le: Number.MAX_SAFE_INTEGER },
    ],
  ])("has a fault of its bound with the integer %s", (input, type, bound, ctx) => {
    const fault = { type, loc: ["query", "max_vmr"], msg: `Input should be ${bound}`, input, ctx };
    expect(level(input)).toEqual({ faults: [fault] });
  });

  test.each([
    [true, truthy],
    [false, falsy],
  ])("is valid for the boolean %s with %j", (value, texts) => {
    const read = texts.map((text) => inQuery(ShapeQuery, { constrained_attributes: text }));
    expect(read).toEqual(texts.map(() => ({ constrained_attributes: value })));
  });

  test.each(refusedBooleans)("has the fault bool_parsing if a boolean is %j", (input) => {
    const msg = "Input should be a valid boolean, unable to interpret input";
    const loc = ["query", "constrained_attributes"];
    const faults = [{ type: "bool_parsing", loc, msg, input }];
    expect(inQuery(ShapeQuery, { constrained_attributes: input })).toEqual({ faults });
  });

  test("has the fault `missing` if a required parameter is missing", () => {
    expect(inQuery(z.object({ name: z.string() }), {})).toEqual({
      faults: [{ type: "missing", loc: ["query", "name"], msg: "Field required", input: null }],
    });
  });
});

describe("A body", () => {
  test("is valid with 1 and 0 for booleans, and with true and false for integers", () => {
    const booleans = { participant_limit: true, id: false };
    expect(inBody({ allow_guests: 1, ...booleans })).toEqual({
      allow_guests: true,
      participant_limit: 1,
      id: 0,
    });
    expect(inBody({ allow_guests: 0 })).toEqual({ allow_guests: false });
  });

  test.each(["2026-01-15T09:30:00.123456", "2026-01-15 09:30:00Z"])(
    "is valid with the date-time %j, which is passed on unchanged",
    (value) => {
      expect(inBody({ creation_time: value })).toEqual({ creation_time: value });
    },
  );

  test.each([
    [{ participant_limit: 2.5 }, "int_from_float", "a valid integer, got a number with a fractional part"],
    [{ participant_limit: {} }, "int_type", "a valid integer"],
    [{ participant_limit: "many" }, "int_parsing", "a valid integer, unable to parse string as an integer"],
    [{ allow_guests: "perhaps" }, "bool_parsing", "a valid boolean, unable to interpret input"],
    [{ allow_guests: 2 }, "bool_parsing", "a valid boolean, unable to interpret input"],
    [{ allow_guests: {} }, "bool_type", "a valid boolean"],
    [{ host_view: 5 }, "string_type", "a valid string"],
    [{ aliases: "x" }, "list_type", "a valid list"],
  ])("has a fault with %j: %s", (body, type, expected) => {
    const [[field, input] = []] = Object.entries(body);
    const fault = { type, loc: ["body", field], msg: `Input should be ${expected}`, input };
    expect(inBody(body)).toEqual({ faults: [fault] });
  });

  test.each(["2026-13-45", "yesterday"])("has a fault if a date-time is %j", (input) => {
    const fault = { type: "value_error", loc: ["body", "creation_time"], input, ctx: { error: {} } };
    const msg = "Value error, must be a date and time in ISO 8601";
    expect(inBody({ creation_time: input })).toEqual({ faults: [{ ...fault, msg }] });
  });

  test.each([[[1, 2]], [null]])("has a fault if it is %j instead of an object", (input) => {
    const fields = "Input should be a valid dictionary or object to extract fields from";
    const faultOf = (type: string, msg: string) => ({ faults: [{ type, loc: ["body"], msg, input }] });
    expect(inBody(input)).toEqual(faultOf("model_attributes_type", fields));
    const anyFields = z.record(z.string(), z.unknown());
    expect(inBody(input, anyFields)).toEqual(faultOf("dict_type", "Input should be a valid dictionary"));
  });

  test("has a fault at the index of a list element", () => {
    const loc = ["body", "aliases", 1, "id"];
    const msg = "Input should be a valid integer, unable to parse string as an integer";
    const faults = [{ type: "int_parsing", loc, msg, input: "abc" }];
    expect(inBody({ aliases: [{ id: 1 }, { id: "abc" }] })).toEqual({ faults });
  });

  test.each([
    ["a custom rule", z.string().refine(() => false, "must be odd"), "Value error, must be odd"],
    ["a rule without a counterpart in Pydantic", z.string().regex(/^\d$/), "Value error, not a valid value"],
  ])("has a value_error for %s", (_, schema, msg) => {
    const fault = { type: "value_error", loc: ["body", "code"], msg, input: "x", ctx: { error: {} } };
    expect(inBody({ code: "x" }, z.object({ code: schema }))).toEqual({ faults: [fault] });
  });

  test("has the fault string_too_long with the limit", () => {
    const fault = {
      type: "string_too_long",
      msg: "String should have at most 2 characters",
      ctx: { max_length: 2 },
    };
    expect(inBody({ code: "abc" }, z.object({ code: z.string().max(2) }))).toMatchObject({ faults: [fault] });
  });
});

describe("Parameters that could be dropped or merged unnoticed", () => {
  const schema = z.object({ uuiData: z.string().optional(), max_vmr: z.coerce.number().optional() });
  const read = (query: string) => outcomeOf(() => readQuery(schema, new URLSearchParams(query)));
  const refused = (...faults: [name: string, reason: string][]) => ({
    faults: faults.map(([name, reason]) => ({
      type: "value_error",
      loc: ["query", name],
      msg: `Value error, ${reason}`,
      ctx: { error: {} },
    })),
  });

  test("a query with known and unknown parameters is parsed, and unknown ones are ignored, even if repeated", () => {
    expect(read("uuiData=61&max_vmr=2&other=1&other=2&data=x")).toEqual({ uuiData: "61", max_vmr: 2 });
  });

  test.each([
    ["UUIDATA", "uuiData"],
    ["_uui-Data", "uuiData"],
    ["maxVmr", "max_vmr"],
  ])("the parameter %s is refused, and the fault names %s", (sent, right) => {
    const faults = refused([sent, `the parameter is called ${right}`]);
    expect(read(`${sent}=1`)).toEqual(faults);
    expect(read(`${right}=1&${sent}=1`)).toEqual(faults);
  });

  test.each(["uuiData=61&uuiData=61", "uuiData=61&uui%44ata=62", "uuiData&uuiData="])(
    "a parameter that is sent twice is refused (%s)",
    (query) => {
      expect(read(query)).toEqual(refused(["uuiData", "uuiData must be sent only once"]));
    },
  );

  test("every refused parameter is reported once", () => {
    expect(read("uuidata=1&uuidata=2&max_vmr=1&max_vmr=2")).toEqual(
      refused(["uuidata", "the parameter is called uuiData"], ["max_vmr", "max_vmr must be sent only once"]),
    );
  });

  test("a value is decoded as a form is: plus signs are spaces, and a lone percent sign stays", () => {
    expect(read("uuiData=a%2B+%20b%26%25%C3%A9%")).toEqual({ uuiData: "a+  b&%é%" });
  });
});

describe("The input of a fault", () => {
  const fault = { loc: ["body", "name"], msg: "Input should be a valid string", type: "string_type" };
  const secret = "48291377";

  test.each([5, null, { topping: "spinach", tokens: 2 }])("is returned as it was sent (%j)", (input) => {
    expect(faultWithInput(fault, input)).toEqual({ ...fault, input });
  });

  test.each([
    { loc: ["body", "list", 0, "pin"] },
    { loc: ["body", "guest_pin"] },
    { loc: ["body", "password"] },
    { loc: ["body", "token"] },
    { loc: ["body", "gms_access_token", 0, "value"] },
  ])("is omitted in a secret field ($loc)", ({ loc }) => {
    expect(faultWithInput({ ...fault, loc }, 5)).toEqual({ ...fault, loc });
  });

  test("is omitted if it is missing or longer than 1,000 characters as JSON", () => {
    expect(faultWithInput(fault, undefined)).toEqual(fault);
    expect(faultWithInput(fault, "x".repeat(999))).toEqual(fault);
    expect(faultWithInput(fault, "x".repeat(998))).toHaveProperty("input");
  });

  test.each([
    ["as a number", { pin: Number(secret) }],
    ["in a list", { guest_pin: [secret] }],
    ["in a list instead of an object", [{ pin: secret }]],
    ["nested in another field", { automatic_participants: { pin: secret } }],
    ["in form data", `guest_pin=${secret}`],
    ["nested in a list element", { ivr_theme: [[{ guest_pin: secret }]] }],
  ])("never contains a PIN of a rejected body, sent %s", (_, body) => {
    const result = JSON.stringify(inBody(body));
    expect(result).toContain("faults");
    expect(result).not.toContain(secret);
  });
});
