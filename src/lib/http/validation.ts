/** Validates input with a zod schema and reports every fault in the format of FastAPI (Pydantic 2). */
import type * as z from "zod";
import { GatewayError, type ValidationFault } from "../errors.ts";
import { describeIssue } from "./pydantic-messages.ts";
import { faultWithInput } from "./validation-fault.ts";

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
