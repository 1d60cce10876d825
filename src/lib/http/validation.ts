/** Validates input with a zod schema and reports every fault in the format of FastAPI (Pydantic 2). */
import type * as z from "zod";
import { GatewayError, type ValidationFault } from "../errors.ts";
import { faultWithInput } from "./validation-fault.ts";

/**
 * Returns the value as `schema` parses it. Throws `invalid-request` with every fault if it is not valid; each `loc`
 * begins with `place`.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, place: "query" | "body"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new GatewayError("invalid-request", {
    faults: result.error.issues.map((issue) => toFault(issue, value, place)),
  });
}

function toFault(issue: z.core.$ZodIssue, root: unknown, place: "query" | "body"): ValidationFault {
  const path = issue.path.map((part) => (typeof part === "symbol" ? part.toString() : part));
  const input = valueAt(root, path);
  if (place === "query" && input === undefined) {
    return { type: "missing", loc: [place, ...path], msg: "Field required", input: null };
  }
  return faultWithInput({ loc: [place, ...path], ...describe(issue, input) }, input);
}

function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined),
    root,
  );
}

type Description = Pick<ValidationFault, "type" | "msg" | "ctx">;

const notValid: Description = {
  type: "value_error",
  msg: "Value error, not a valid value",
  ctx: { error: {} },
};

/** Uses the texts of Pydantic: https://docs.pydantic.dev/latest/errors/validation_errors/. */
function describe(issue: z.core.$ZodIssue, input: unknown): Description {
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

function describeType(expected: string, input: unknown): Description {
  const isScalar = typeof input === "string" || typeof input === "number";
  switch (expected) {
    case "int":
    case "number":
      if (typeof input === "number") {
        return {
          type: "int_from_float",
          msg: "Input should be a valid integer, got a number with a fractional part",
        };
      }
      return typeof input === "string"
        ? {
            type: "int_parsing",
            msg: "Input should be a valid integer, unable to parse string as an integer",
          }
        : { type: "int_type", msg: "Input should be a valid integer" };
    case "boolean":
      return isScalar
        ? { type: "bool_parsing", msg: "Input should be a valid boolean, unable to interpret input" }
        : { type: "bool_type", msg: "Input should be a valid boolean" };
    case "array":
      return { type: "list_type", msg: "Input should be a valid list" };
    case "object":
      return {
        type: "model_attributes_type",
        msg: "Input should be a valid dictionary or object to extract fields from",
      };
    case "record":
      return { type: "dict_type", msg: "Input should be a valid dictionary" };
    case "string":
      return { type: "string_type", msg: "Input should be a valid string" };
    default:
      return notValid;
  }
}

function describeDateTime(input: unknown): Description {
  const reason =
    typeof input === "string" && input.length < 10 ? "input is too short" : "invalid date or time";
  return {
    type: "datetime_from_date_parsing",
    msg: `Input should be a valid datetime or date, ${reason}`,
    ctx: { error: reason },
  };
}
