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
  const loc = [place, ...path];
  const input = valueAt(root, path);
  if (place !== "body" && input === undefined) return { ...typeFault("missing", loc), input: null };
  return faultWithInput(describeIssue(issue, input, loc), input);
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
  // A body that was not parsed as JSON is one string, in which a field name may have any form.
  const isNamed = (field: string) => text.includes(typeof input === "string" ? field : `"${field}"`);
  if ([...secretFields].some(isNamed)) return fault;
  const { loc, msg, type, ctx } = fault;
  return { type, loc, msg, input, ...(ctx && { ctx }) };
}

/** Returns the failure of a request with this fault. */
export function invalidRequest(fault: ValidationFault, cause?: unknown): GatewayError {
  return new GatewayError("invalid-request", { cause, faults: [fault] });
}

/** Returns the fault of a rule of the gateway, in the form that FastAPI gives to a custom validator's fault. */
export function valueFault(loc: ValidationFault["loc"], reason: string): ValidationFault {
  return { type: "value_error", loc, msg: `Value error, ${reason}`, ctx: { error: {} } };
}

/** Returns the fault of a text that is too long. */
export function tooLongFault(loc: ValidationFault["loc"], maxCharacters: number): ValidationFault {
  return {
    type: "string_too_long",
    loc,
    msg: `String should have at most ${maxCharacters} characters`,
    ctx: { max_length: maxCharacters },
  };
}

// https://docs.pydantic.dev/latest/errors/validation_errors/ lists these texts.
const typeMessages = {
  missing: "Field required",
  extra_forbidden: "Extra inputs are not permitted",
  list_type: "Input should be a valid list",
  model_attributes_type: "Input should be a valid dictionary or object to extract fields from",
  dict_type: "Input should be a valid dictionary",
  string_type: "Input should be a valid string",
  int_type: "Input should be a valid integer",
  int_from_float: "Input should be a valid integer, got a number with a fractional part",
  int_parsing: "Input should be a valid integer, unable to parse string as an integer",
  bool_type: "Input should be a valid boolean",
  bool_parsing: "Input should be a valid boolean, unable to interpret input",
} as const;

/** Returns the fault of a value that is missing or has the wrong type. */
export function typeFault(type: keyof typeof typeMessages, loc: ValidationFault["loc"]): ValidationFault {
  return { type, loc, msg: typeMessages[type] };
}

/**
 * Returns the fault of an issue with `input`. An issue without a counterpart in Pydantic is a general `value_error`.
 */
function describeIssue(
  issue: z.core.$ZodIssue,
  input: unknown,
  loc: ValidationFault["loc"],
): ValidationFault {
  switch (issue.code) {
    case "invalid_type": {
      const type = typeFaultOf(issue.expected, input);
      return type ? typeFault(type, loc) : valueFault(loc, "not a valid value");
    }
    case "too_small": {
      const msg = `Input should be greater than or equal to ${issue.minimum}`;
      return { type: "greater_than_equal", loc, msg, ctx: { ge: issue.minimum } };
    }
    case "too_big": {
      const msg = `Input should be less than or equal to ${issue.maximum}`;
      return { type: "less_than_equal", loc, msg, ctx: { le: issue.maximum } };
    }
    case "custom":
      return valueFault(loc, issue.message);
    default:
      return valueFault(loc, "not a valid value");
  }
}

const typeFaults: Readonly<Record<string, keyof typeof typeMessages>> = {
  array: "list_type",
  object: "model_attributes_type",
  record: "dict_type",
  string: "string_type",
};

function typeFaultOf(expected: string, input: unknown): keyof typeof typeMessages | undefined {
  const isText = typeof input === "string";
  const isNumber = typeof input === "number";
  if (expected === "boolean") return isText || isNumber ? "bool_parsing" : "bool_type";
  if (expected !== "int" && expected !== "number") return typeFaults[expected];
  if (isNumber) return "int_from_float";
  return isText ? "int_parsing" : "int_type";
}

/** Parses integers as Pydantic's lax mode does: "12", "12.0" and 12.0 are 12, and true is 1. */
export const laxInteger = z.preprocess((value) => {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" && /^\s*[-+]?\d+(?:_\d+)*(?:\.0*)?\s*$/.test(value)
    ? Number(value.replaceAll("_", ""))
    : value;
}, z.int());

const booleanWords = new Map([
  ...["true", "1", "on", "t", "y", "yes"].map((word) => [word, true] as const),
  ...["false", "0", "off", "f", "n", "no"].map((word) => [word, false] as const),
]);

/** Parses booleans as Pydantic's lax mode does: true/false, 1/0, on/off, t/f, y/n and yes/no, in any case. */
export const laxBoolean = z.preprocess((value) => {
  if (value === 0 || value === 1) return value === 1;
  return typeof value === "string" ? (booleanWords.get(value.toLowerCase()) ?? value) : value;
}, z.boolean());
