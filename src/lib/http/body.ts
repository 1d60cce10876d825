/** Reads and parses request bodies within their limits. */
import { isUtf8 } from "node:buffer";
import type { HttpRequest } from "@azure/functions";
import { GatewayError } from "../errors.ts";
import { parseJson } from "../json.ts";
import type { BodyContract } from "./contract.ts";
import { invalidRequest, typeFault, valueFault } from "./validation.ts";

/** The host and API Management have the same limit, so that bodies cannot fill an instance's memory. */
export const maxBodyBytes = 1024 * 1024;

// Serialising a value that is nested much deeper would overflow the stack.
const maxNestingDepth = 100;

/**
 * Returns the parsed body. Throws `length-required` if the body has no Content-Length, `body-too-large` if it is larger
 * than the limit, and `invalid-request` if it is missing, not JSON, has too many fields, or is sent with another
 * content type than the contract requires.
 */
export async function readBody(request: HttpRequest, contract: BodyContract<unknown>): Promise<unknown> {
  const { headers } = request;
  if (isDropped(headers)) throw new GatewayError("length-required");
  if (Number(headers.get("content-length") ?? 0) > maxBodyBytes) throw new GatewayError("body-too-large");
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > maxBodyBytes) throw new GatewayError("body-too-large");
  const text = new TextDecoder().decode(bytes);
  if (text === "") throw invalidRequest({ ...typeFault("missing", ["body"]), input: null });
  if (contract.requiresJsonType && !isJsonType(headers.get("content-type")))
    throw invalidRequest(valueFault(["header", "content-type"], "the body must be sent as application/json"));
  // A room would have the replacement character for good. An event must not stop the sink, so its other parts are read.
  if (contract.requiresJsonType && !isUtf8(bytes)) throw jsonInvalid("The body is not UTF-8");
  const { maxFields = Number.POSITIVE_INFINITY } = contract;
  const maxNestedFields = 50 * maxFields;
  const reason = `the body must have at most ${maxFields} fields, and ${maxNestedFields} including nested ones`;
  // Each field has a colon. Parsing 100,000 of them would hold up other requests.
  if (contract.maxFields !== undefined && text.split(":").length > maxNestedFields + 1)
    throw invalidRequest(valueFault(["body"], reason));
  const value = parseJson(text);
  if (value === undefined) throw jsonInvalid("The body is not valid JSON");
  if (value instanceof Object && !Array.isArray(value) && Object.keys(value).length > maxFields)
    throw invalidRequest(valueFault(["body"], reason));
  if (isDeeperThan(value, maxNestingDepth)) throw jsonInvalid("Nested too deeply");
  if (contract.requiresJsonType && isUnstorable(value))
    throw invalidRequest(valueFault(["body"], "NUL and half a surrogate pair cannot be stored"));
  return value;
}

/**
 * Returns whether a text or a key contains NUL or half a surrogate pair. The platform would return 500 for both,
 * because its database rejects them: https://github.com/psycopg/psycopg2/issues/459 and Python's UnicodeEncodeError.
 */
function isUnstorable(value: unknown): boolean {
  // JSON.stringify escapes both, and a backslash as two.
  const otherEscapes = JSON.stringify(value).replaceAll("\\\\", "");
  return /\\u(?:0000|d[89a-f])/.test(otherEscapes);
}

/** Returns whether the request had, or may have had, a body of JSON that the Functions host has dropped. */
export function hasDroppedJson({ headers }: HttpRequest): boolean {
  return isDropped(headers) && isJsonType(headers.get("content-type"));
}

/** The host drops a body without a length: https://github.com/Azure/azure-functions-nodejs-worker/issues/524 */
function isDropped(headers: HttpRequest["headers"]): boolean {
  return headers.get("content-length") === null && headers.get("transfer-encoding") !== null;
}

function isJsonType(contentType: string | null): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "");
}

function jsonInvalid(reason: string): GatewayError {
  const ctx = { error: reason };
  return invalidRequest({ type: "json_invalid", loc: ["body"], msg: "JSON decode error", input: {}, ctx });
}

/** Goes through the value level by level, so the check itself uses no stack. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((entry) =>
      typeof entry === "object" && entry !== null ? Object.values(entry) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
