/** The examples in the API document: fictitious rooms, tags and faults. */
import { encodeServiceTag } from "../../src/lib/api/service-tag.ts";
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { headerParameters, queryParameters } from "./schemas.ts";

type Json = Record<string, unknown>;

const name = "WsOWh_sZ3K5Z5lYTppNVJV3y";
const tag = "https://verify.example.com/sessions/8d1f";
const uuiData = encodeServiceTag(tag);

const created = {
  id: 123,
  name,
  service_type: "conference",
  allow_guests: true,
  guest_pin: "771204",
  tag,
  aliases: [{ alias: name }],
};
const aliases = [
  {
    id: 123,
    alias: name,
    conference: "/api/admin/configuration/v1/conference/123/",
    creation_time: "2026-11-21T08:30:00.000000",
    description: "",
  },
];
const publicRoom = { ...created, aliases };
const room = { ...publicRoom, pin: "482913" };

const bodies: Readonly<Record<string, { readonly request?: Json; readonly response?: Json | Json[] }>> = {
  createRoomFromQueue: { response: created },
  createRoom: { response: created },
  listRooms: { response: [room] },
  getRoom: { response: room },
  getPublicRoom: { response: publicRoom },
  updateRoom: { request: { participant_limit: 4, mute_all_guests: false } },
  eventSink: {
    request: {
      node: "10.0.0.21",
      seq: 57,
      version: 2,
      time: 1_795_250_000.5,
      event: "conference_ended",
      data: { name, service_type: "conference", tag },
    },
  },
  healthCheck: { response: { status: "alive", timestamp: "2026-11-21T08:30:00.000Z" } },
};

const parameters: Json = {
  room_name: name,
  uuiData,
  constrained_attributes: true,
  max_vmr: 50,
  "idempotency-key": "8e03978e-40d5-43dd-bc93-6894a57f9324",
  "x-correlation-id": "order-2026-11-21-0815",
};

/** Returns the example of a request or success body. Throws an error if the table above has none. */
export function bodyExample(functionName: string, kind: "request" | "response"): unknown {
  return bodies[functionName]?.[kind] ?? missing(`an example of the ${kind} of ${functionName}`);
}

/** Returns the example of a parameter. Throws an error if the table above has none. */
export function parameterExample(parameter: string): unknown {
  return parameters[parameter] ?? missing(`an example of the parameter ${parameter}`);
}

const parameterFaults: Readonly<Record<string, Json>> = {
  uuiData: {
    type: "value_error",
    loc: ["query", "uuiData"],
    msg: "Value error, uuiData must be pairs of hexadecimal digits",
    input: "xyz",
    ctx: { error: {} },
  },
  constrained_attributes: {
    type: "bool_parsing",
    loc: ["query", "constrained_attributes"],
    msg: "Input should be a valid boolean, unable to interpret input",
    input: "maybe",
  },
  max_vmr: {
    type: "int_parsing",
    loc: ["query", "max_vmr"],
    msg: "Input should be a valid integer, unable to parse string as an integer",
    input: "many",
  },
};
const missingBody: Json = { type: "missing", loc: ["body"], msg: "Field required", input: null };

/**
 * Returns a possible 422 body: a fault of the request body or else of the first query parameter or header. Throws an
 * error if the table above has no fault of that parameter.
 */
export function validationExample({ body, query, headers }: HttpContract): Json {
  if (body) return { detail: [missingBody] };
  const [parameter] = [
    ...(query ? queryParameters(query) : []),
    ...(headers ? headerParameters(headers) : []),
  ];
  const first = String(parameter?.["name"]);
  return { detail: [parameterFaults[first] ?? missing(`an example of a fault of the parameter ${first}`)] };
}

function missing(what: string): never {
  throw new Error(`Add ${what} to scripts/openapi/examples.ts`);
}
