/** Validation that is as lenient as Pydantic, reports faults as FastAPI does, and never returns secrets. */
import { expect, test } from "vitest";
import * as z from "zod";
import { GatewayError } from "../../../src/lib/errors.ts";
import { faultWithInput, laxInteger, readQuery, validate } from "../../../src/lib/http/validation.ts";
import { Conference, ShapeQuery } from "../../../src/lib/rooms/schemas.ts";
import { valueError } from "../../support/faults.ts";

/** Returns what was read, or the faults. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof GatewayError && error.code === "invalid-request" ? error.details.faults : error;
  }
}
const Query = z.object({
  ...ShapeQuery.shape,
  max_vmr: laxInteger.pipe(z.int().min(0).max(10_000)).optional(),
});
const inQuery = (query: object, schema: z.ZodType = Query) =>
  outcomeOf(() => validate(schema, query, "query"));
const inBody = (body: unknown, schema: z.ZodType = Conference) =>
  outcomeOf(() => validate(schema, body, "body"));

test.each([
  [12, ["12.0", " +12. ", "1_2"]],
  [0, ["0"]],
  [10_000, ["10000", "10_000"]],
])("The integer %i may be sent as: %s", (value, texts) => {
  for (const max_vmr of texts) expect(inQuery({ max_vmr })).toMatchObject({ max_vmr: value });
});

test.each([
  [true, ["true", "TRUE", "tRuE", "1", "on", "On", "t", "T", "y", "Y", "yes", "YES"]],
  [false, ["false", "FALSE", "0", "off", "OFF", "f", "F", "n", "N", "no", "No"]],
])("The boolean %s may be sent as: %s", (value, texts) => {
  for (const text of texts)
    expect(inQuery({ constrained_attributes: text })).toEqual({ constrained_attributes: value });
});

test("A body may have 1 and 0 as booleans, true and false as integers, and any form of a date-time", () => {
  const sent = { allow_guests: 1, breakout_rooms: 0, participant_limit: true, id: false };
  const read = { allow_guests: true, breakout_rooms: false, participant_limit: 1, id: 0 };
  for (const creation_time of ["2026-01-15T09:30:00.123456", "2026-01-15 09:30:00Z"])
    expect(inBody({ ...sent, creation_time })).toEqual({ ...read, creation_time });
});

const unparsedInteger = "a valid integer, unable to parse string as an integer";
const unreadBoolean = "a valid boolean, unable to interpret input";
const atMost = (le: number) => [`less than or equal to ${le}`, { le }] as const;

test.each<[field: string, type: string, inputs: unknown[], expected: string, ctx?: object]>([
  ["max_vmr", "int_parsing", ["abc", "2.5", "1e3", "", "0x10", "1__0", "½", "12abc", "--1"], unparsedInteger],
  ["max_vmr", "int_from_float", [2.5], "a valid integer, got a number with a fractional part"],
  ["max_vmr", "int_type", [{}, [1]], "a valid integer"],
  ["max_vmr", "greater_than_equal", ["-1"], "greater than or equal to 0", { ge: 0 }],
  ["max_vmr", "less_than_equal", ["10001"], ...atMost(10_000)],
  // Beyond the integers that a number can have, that is the bound.
  ["max_vmr", "less_than_equal", ["99999999999999999999"], ...atMost(Number.MAX_SAFE_INTEGER)],
  ["flag", "bool_parsing", ["", " true", "true,false", "null", "tru", "2", "-1", "1.0", 2], unreadBoolean],
  ["flag", "bool_type", [{}, null], "a valid boolean"],
  ["text", "string_type", [5, {}], "a valid string"],
  ["list", "list_type", ["x", null], "a valid list"],
  ["object", "model_attributes_type", [[1, 2], null], "a valid dictionary or object to extract fields from"],
  ["record", "dict_type", [[1, 2], null], "a valid dictionary"],
])("An invalid `%s` has a fault of the type %s", (field, type, inputs, expected, ctx) => {
  const schema = z.object({
    max_vmr: Query.shape.max_vmr,
    flag: ShapeQuery.shape.constrained_attributes.optional(),
    text: z.string().optional(),
    list: z.array(z.string()).optional(),
    object: z.object({}).optional(),
    record: z.record(z.string(), z.unknown()).optional(),
  });
  for (const input of inputs) {
    const fault = { type, loc: ["body", field], msg: `Input should be ${expected}`, input, ctx };
    expect(inBody({ [field]: input }, schema)).toEqual([fault]);
  }
});

test.each<[string, string, z.ZodType]>([
  ["must be odd", "x", z.string().refine(() => false, "must be odd")],
  // Neither has a counterpart in Pydantic.
  ["not a valid value", "x", z.string().regex(/^\d$/)],
  ["not a valid value", "x", z.date()],
  ["must be a date and time in ISO 8601", "2026-13-45", Conference.shape.creation_time],
])("A fault of a rule says: %s", (reason, input, schema) => {
  const fault = { ...valueError(["query", "x"], reason), input };
  expect(inQuery({ x: input }, z.object({ x: schema }))).toEqual([fault]);
});

test("A fault names the index in a list, and a missing parameter has its own type", () => {
  const msg = `Input should be ${unparsedInteger}`;
  const fault = { type: "int_parsing", loc: ["body", "aliases", 1, "id"], msg, input: "abc" };
  const second = { ...fault, loc: ["body", "aliases", 2, "id"], input: "def" };
  expect(inBody({ aliases: [{ id: 1 }, { id: "abc" }, { id: "def" }] })).toEqual([fault, second]);
  const missing = { type: "missing", loc: ["query", "name"], msg: "Field required", input: null };
  expect(inQuery({}, z.object({ name: z.string() }))).toEqual([missing]);
});

const sentTwice = (name: string) => valueError(["query", name], `${name} must be sent only once`);
const calledOtherwise = (name: string, right: string) =>
  valueError(["query", name], `the parameter is called ${right}`);

test.each<[string, unknown]>([
  // Unknown parameters are ignored.
  ["uuiData=61&max_vmr=2&other=1&other=2&data=x", { uuiData: "61", max_vmr: 2 }],
  // As in a form, plus signs are spaces, and a lone percent sign stays.
  ["uuiData=a%2B+%20b%26%25%C3%A9%", { uuiData: "a+  b&%é%" }],
  ["UUIDATA=1", [calledOtherwise("UUIDATA", "uuiData")]],
  ["uuiData=1&_uui-Data=1", [calledOtherwise("_uui-Data", "uuiData")]],
  ["maxVmr=1", [calledOtherwise("maxVmr", "max_vmr")]],
  ["uuiData=61&uuiData=61", [sentTwice("uuiData")]],
  ["uuiData=61&uui%44ata=62", [sentTwice("uuiData")]],
  ["uuiData&uuiData=", [sentTwice("uuiData")]],
  ["max_vmr=1&max_vmr=2&uuidata=1&other=1", [sentTwice("max_vmr"), calledOtherwise("uuidata", "uuiData")]],
])("No parameter of the query %s is dropped or merged unnoticed", (query, expected) => {
  const schema = z.object({ uuiData: z.string().optional(), max_vmr: z.coerce.number().optional() });
  expect(outcomeOf(() => readQuery(schema, new URLSearchParams(query)))).toEqual(expected);
});

const secret = "48291377";
test.each<[string, readonly (string | number)[], unknown, boolean]>([
  ["null", ["name"], null, true],
  ["an object", ["name"], { topping: "spinach", tokens: 2 }, true],
  ["1,000 characters as JSON", ["name"], "x".repeat(998), true],
  ["1,001 characters as JSON", ["name"], "x".repeat(999), false],
  ["nothing", ["name"], undefined, false],
  ["a PIN", ["list", 0, "pin"], 5, false],
  ["a guest PIN", ["guest_pin"], 5, false],
  ["a password", ["password"], 5, false],
  ["a token", ["token"], 5, false],
  ["a part of an access token", ["gms_access_token", 0, "value"], 5, false],
  ["an object with a PIN", [], { pin: Number(secret) }, false],
  ["a nested PIN", ["automatic_participants"], { a: [[{ guest_pin: secret }]] }, false],
  ["form data with a PIN", [], `guest_pin=${secret}`, false],
])("A fault has its input, %s, unless that may be secret or is too long", (_, path, input, isReturned) => {
  const fault = { loc: ["body", ...path], msg: "Input should be a valid string", type: "string_type" };
  expect(faultWithInput(fault, input)).toEqual(isReturned ? { ...fault, input } : fault);
});
