/** One entry of an HTTPValidationError, and the rule which inputs it may repeat to the caller. */

/** As FastAPI writes it: https://fastapi.tiangolo.com/reference/openapi/models/ (HTTPValidationError). */
export interface ValidationFault {
  /** Where: `["query", "max_vmr"]`, `["body", "aliases", 0, "id"]`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

const secretFields = new Set(["pin", "guest_pin", "password", "token", "gms_access_token"]);
const maxEchoedCharacters = 1000;

/** A fault with its input, which is left out when it is, or may hold, a PIN or a token, or is long. */
export function faultWithInput(fault: Omit<ValidationFault, "input">, input: unknown): ValidationFault {
  if (fault.loc.some((part) => secretFields.has(String(part)))) return fault;
  const text = JSON.stringify(input);
  if (text === undefined || text.length > maxEchoedCharacters) return fault;
  // A body that was not read as JSON is one text, in which the names may stand in any form.
  const isNamed = (field: string) => text.includes(typeof input === "string" ? field : `"${field}"`);
  if ([...secretFields].some(isNamed)) return fault;
  const { loc, msg, type, ctx } = fault;
  return { type, loc, msg, input, ...(ctx && { ctx }) };
}

/** The fault of a rule of ours, as a validator function of FastAPI's would report it. */
export function valueFault(loc: ValidationFault["loc"], reason: string): ValidationFault {
  return { type: "value_error", loc, msg: `Value error, ${reason}`, ctx: { error: {} } };
}
