/** Validates input with zod schemas as leniently as FastAPI does, and reports faults in its format (Pydantic 2). */
import * as z from "zod";
import { GatewayError, type ValidationFault } from "../errors.ts";

/** The part of a request that a value comes from. */
type Place = "query" | "header" | "body";

/**
 * Returns the value as `schema` parses it. Throws `invalid-request` with every fault if it is not valid; each `loc`
 * begins with `place`.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, place: Place): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new GatewayError("invalid-request", {
    faults: result.error.issues.map((issue) => toFault(issue, value, place)),
  });
}

function toFault(issue: z.core.$ZodIssue, root: unknown, place: Place): ValidationFault {
  const path = issue.path.map((part) => (typeof part === "symbol" ? part.toString() : part));
  const input = valueAt(root, path);
  if (place !== "body" && input === undefined) {
    return { type: "missing", loc: [place, ...path], msg: "Field required", input: null };
  }
  return faultWithInput({ loc: [place, ...path], ...describeIssue(issue, input) }, input);
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined),
    root,
  );
}

/** The schema of a query: an object schema, whose keys are the names of the parameters. */
export type QuerySchema<Query> = z.ZodType<Query> & { readonly shape: Readonly<Record<string, unknown>> };

/**
 * Returns the query as `schema` parses it. Unknown parameters are ignored. Throws `invalid-request` if a parameter is
 * not valid, is sent twice, or has the name of a known one but for case, hyphens or underscores.
 */
export function readQuery<Query>(schema: QuerySchema<Query>, sent: URLSearchParams): Query {
  const known = new Map(Object.keys(schema.shape).map((name) => [plain(name), name]));
  const faults = [...new Set(sent.keys())].flatMap((name): ValidationFault[] => {
    const rightName = known.get(plain(name));
    if (rightName === undefined) return [];
    if (name !== rightName) return [valueFault(["query", name], `the parameter is called ${rightName}`)];
    return sent.getAll(name).length > 1
      ? [valueFault(["query", name], `${name} must be sent only once`)]
      : [];
  });
  if (faults.length > 0) throw new GatewayError("invalid-request", { faults });
  return validate(schema, Object.fromEntries(sent), "query");
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

const secretFields = new Set(["pin", "guest_pin", "password", "token", "gms_access_token"]);
const maxReturnedCharacters = 1000;

/** Returns the fault with its input, unless the input is, or may contain, a PIN or a token, or is too long. */
export function faultWithInput(fault: Omit<ValidationFault, "input">, input: unknown): ValidationFault {
  if (fault.loc.some((part) => secretFields.has(String(part)))) return fault;
  const text = JSON.stringify(input);
  if (text === undefined || text.length > maxReturnedCharacters) return fault;
  // A body that was not parsed as JSON is one text, where a field name may be written in any form.
  const isNamed = (field: string) => text.includes(typeof input === "string" ? field : `"${field}"`);
  if ([...secretFields].some(isNamed)) return fault;
  const { loc, msg, type, ctx } = fault;
  return { type, loc, msg, input, ...(ctx && { ctx }) };
}

/** Returns the fault of a rule of the gateway, in the form that FastAPI gives to a custom validator's fault. */
export function valueFault(loc: ValidationFault["loc"], reason: string): ValidationFault {
  return { type: "value_error", loc, msg: `Value error, ${reason}`, ctx: { error: {} } };
}

/** The part of a fault that depends on the issue alone, not on its place. */
type FaultDescription = Pick<ValidationFault, "type" | "msg" | "ctx">;

const notValid: FaultDescription = {
  type: "value_error",
  msg: "Value error, not a valid value",
  ctx: { error: {} },
};

/**
 * Returns the description of an issue with `input`, as https://docs.pydantic.dev/latest/errors/validation_errors/ lists
 * them. An issue without a counterpart in Pydantic is a general `value_error`.
 */
function describeIssue(issue: z.core.$ZodIssue, input: unknown): FaultDescription {
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue.expected, input);
    case "invalid_union":
      return { type: "datetime_type", msg: "Input should be a valid datetime" };
    case "too_small":
      return {
        type: "greater_than_equal",
        msg: `Input should be greater than or equal to ${issue.minimum}`,
        ctx: { ge: issue.minimum },
      };
    case "too_big":
      return issue.origin === "string"
        ? {
            type: "string_too_long",
            msg: `String should have at most ${issue.maximum} characters`,
            ctx: { max_length: issue.maximum },
          }
        : {
            type: "less_than_equal",
            msg: `Input should be less than or equal to ${issue.maximum}`,
            ctx: { le: issue.maximum },
          };
    case "custom":
      if (issue.params?.["pydantic"] === "datetime_from_date_parsing") return describeDateTime(input);
      return { type: "value_error", msg: `Value error, ${issue.message}`, ctx: { error: {} } };
    default:
      return notValid;
  }
}

const typeDescriptions: Readonly<Record<string, FaultDescription>> = {
  array: { type: "list_type", msg: "Input should be a valid list" },
  object: {
    type: "model_attributes_type",
    msg: "Input should be a valid dictionary or object to extract fields from",
  },
  record: { type: "dict_type", msg: "Input should be a valid dictionary" },
  string: { type: "string_type", msg: "Input should be a valid string" },
};

function describeType(expected: string, input: unknown): FaultDescription {
  if (expected === "int" || expected === "number") return describeInteger(input);
  if (expected === "boolean") return describeBoolean(input);
  return typeDescriptions[expected] ?? notValid;
}

function describeInteger(input: unknown): FaultDescription {
  const msg = "Input should be a valid integer";
  if (typeof input === "number") {
    return { type: "int_from_float", msg: `${msg}, got a number with a fractional part` };
  }
  if (typeof input !== "string") return { type: "int_type", msg };
  return { type: "int_parsing", msg: `${msg}, unable to parse string as an integer` };
}

function describeBoolean(input: unknown): FaultDescription {
  const msg = "Input should be a valid boolean";
  const isScalar = typeof input === "string" || typeof input === "number";
  return isScalar
    ? { type: "bool_parsing", msg: `${msg}, unable to interpret input` }
    : { type: "bool_type", msg };
}

function describeDateTime(input: unknown): FaultDescription {
  const isShort = typeof input === "string" && input.length < 10;
  const reason = isShort ? "input is too short" : "invalid date or time";
  return {
    type: "datetime_from_date_parsing",
    msg: `Input should be a valid datetime or date, ${reason}`,
    ctx: { error: reason },
  };
}

/** Parses integers as Pydantic's lax mode does: "12", "12.0" and 12.0 are 12, and true is 1. */
export const laxInteger = z.preprocess((value) => {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" && /^\s*[-+]?\d+(?:_\d+)*(?:\.0*)?\s*$/.test(value)
    ? clamp(Number(value.replaceAll("_", "")))
    : value;
}, z.int());

/** Moves a number beyond the safe integers to their limit, so its fault names the bound that it exceeds. */
function clamp(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const booleanWords = new Map([
  ...["true", "1", "on", "t", "y", "yes"].map((word) => [word, true] as const),
  ...["false", "0", "off", "f", "n", "no"].map((word) => [word, false] as const),
]);

/** Parses booleans as Pydantic's lax mode does: true/false, 1/0, on/off, t/f, y/n and yes/no, in any case. */
export const laxBoolean = z.preprocess((value) => {
  if (value === 0 || value === 1) return value === 1;
  return typeof value === "string" ? (booleanWords.get(value.toLowerCase()) ?? value) : value;
}, z.boolean());

const isoDateTime =
  /^\d{4}-\d{2}-\d{2}(?:[T _t]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[zZ]|[-+]\d{2}:?\d{2})?)?$/;

/** Accepts what Pydantic accepts as a date-time: ISO 8601 with or without a time zone, or a Unix time. */
export const laxDateTime = z
  .union([z.string(), z.number()])
  .refine(
    (value) =>
      typeof value === "number" ||
      (isoDateTime.test(value) && !Number.isNaN(Date.parse(value.replace("_", "T")))),
    { params: { pydantic: "datetime_from_date_parsing" } },
  )
  .meta({ description: "ISO 8601 without a time zone, in UTC" });
