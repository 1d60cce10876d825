/** Describes validation issues with the types and texts of Pydantic, which FastAPI returns. */
import type * as z from "zod";
import type { ValidationFault } from "../errors.ts";

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
export function describeIssue(issue: z.core.$ZodIssue, input: unknown): FaultDescription {
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
