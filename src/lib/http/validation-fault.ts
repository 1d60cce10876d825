/** Builds the entries of an HTTPValidationError, and decides which inputs they may return to the caller. */
import type { ValidationFault } from "../errors.ts";

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
