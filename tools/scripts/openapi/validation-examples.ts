/** The examples of 422 bodies: what the gateway returns for typical faults of each parameter and body. */
import type { HttpContract } from "../../../src/lib/http/contract.ts";
import { valueFault } from "../../../src/lib/http/validation.ts";
import type { Example, Examples } from "./media-examples.ts";
import { placeOf } from "./place-of.ts";
import { headerParameters, queryParameters } from "./schemas.ts";

/** The response to one fault of the gateway's own rules. */
function refused(summary: string, place: string, field: string, reason: string, input?: unknown): Example {
  const { loc, ...fault } = valueFault([place, field], reason);
  const value = { detail: [{ type: fault.type, loc, msg: fault.msg, input, ctx: fault.ctx }] };
  return { summary, value };
}

const uuiData = (summary: string, reason: string, input: string): Example =>
  refused(summary, "query", "uuiData", reason, input);

/** By parameter. */
const parameterFaults: Readonly<Record<string, Examples>> = {
  uuiData: {
    "not-hex": uuiData("Not hexadecimal", "uuiData must be pairs of hexadecimal digits", "xyz;encoding=hex"),
    "not-a-url": uuiData(
      "Neither a URL nor a path token",
      "uuiData must contain an http or https URL without credentials, or a path token",
      "6e6f742061206c696e6b;encoding=hex",
    ),
  },
  "idempotency-key": {
    "key-reused": refused(
      "Key used with another uuiData",
      "header",
      "idempotency-key",
      "this key was used with another uuiData",
    ),
  },
  constrained_attributes: {
    "not-a-boolean": {
      summary: "Not a boolean",
      value: {
        detail: [
          {
            type: "bool_parsing",
            loc: ["query", "constrained_attributes"],
            msg: "Input should be a valid boolean, unable to interpret input",
            input: "maybe",
          },
        ],
      },
    },
  },
  max_vmr: {
    "not-a-number": {
      summary: "Not a number",
      value: {
        detail: [
          {
            type: "int_parsing",
            loc: ["query", "max_vmr"],
            msg: "Input should be a valid integer, unable to parse string as an integer",
            input: "many",
          },
        ],
      },
    },
  },
};

const bodyMissing: Example = {
  summary: "Without a body",
  value: { detail: [{ type: "missing", loc: ["body"], msg: "Field required", input: null }] },
};

/** By function, for faults of its body. */
const bodyFaults: Readonly<Record<string, Examples>> = {
  updateRoom: {
    "fixed-field": refused("A field that cannot be changed", "body", "name", "name cannot be changed"),
    "refused-by-platform": refused(
      "A value that the platform rejects",
      "body",
      "participant_limit",
      "the conferencing platform rejected this value",
    ),
    "body-missing": bodyMissing,
  },
  eventSink: {
    "not-an-object": {
      summary: "Not an object",
      value: {
        detail: [{ type: "dict_type", loc: ["body"], msg: "Input should be a valid dictionary", input: [] }],
      },
    },
    "body-missing": bodyMissing,
  },
};

/** Returns possible 422 bodies of a function. Throws an error that names the missing line. */
export function validationExamples(functionName: string, { body, query, headers }: HttpContract): Examples {
  const ofBody = body ? (bodyFaults[functionName] ?? missing(functionName, "const bodyFaults")) : {};
  const parameters = [
    ...(query ? queryParameters(query) : []),
    ...(headers ? headerParameters(headers) : []),
  ];
  const ofParameters = parameters.flatMap(({ name }) =>
    Object.entries(parameterFaults[String(name)] ?? missing(String(name), "const parameterFaults")),
  );
  return { ...ofBody, ...Object.fromEntries(ofParameters) };
}

function missing(entry: string, table: string): never {
  const place = placeOf("tools/scripts/openapi/validation-examples.ts", table);
  throw new Error(`Add an example of a fault, "${entry}": { ... }, below ${place}`);
}
