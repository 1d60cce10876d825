/** Reads a request's body: bounded, decoded, with FastAPI's faults for what is missing or not JSON. */
import type { HttpRequest } from "@azure/functions";
import { GatewayError } from "../errors.ts";
import type { BodyContract } from "./contract.ts";
import { findJsonFault } from "./json-fault.ts";

const maxNestingDepth = 100;

/** Throws `length-required`, `body-too-large` or `invalid-request`. */
export async function readBody(request: HttpRequest, contract: BodyContract<unknown>): Promise<unknown> {
  const { headers } = request;
  if (headers.get("content-length") === null && headers.get("transfer-encoding") !== null) {
    // The Functions host drops such bodies (azure-functions-nodejs-worker#524): it would look like an empty one.
    throw new GatewayError("length-required");
  }
  if (Number(headers.get("content-length") ?? 0) > contract.maxBytes)
    throw new GatewayError("body-too-large");
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > contract.maxBytes) throw new GatewayError("body-too-large");
  const text = new TextDecoder().decode(bytes);
  if (text === "") throw refused({ type: "missing", loc: ["body"], msg: "Field required", input: null });
  if (contract.requiresJsonType && !isJsonType(headers.get("content-type"))) return text;
  return parseJson(text);
}

function isJsonType(contentType: string | null): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType?.trim() ?? "");
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { offset, reason } = findJsonFault(text);
    throw jsonInvalid(offset, reason);
  }
  if (isDeeperThan(value, maxNestingDepth)) throw jsonInvalid(0, "Nested too deeply");
  return value;
}

function jsonInvalid(offset: number, reason: string): GatewayError {
  const ctx = { error: reason };
  return refused({ type: "json_invalid", loc: ["body", offset], msg: "JSON decode error", input: {}, ctx });
}

function refused(fault: NonNullable<GatewayError["details"]["faults"]>[number]): GatewayError {
  return new GatewayError("invalid-request", { faults: [fault] });
}

/** Level by level, so that the depth of the input costs no stack here; writing it out again would. */
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
