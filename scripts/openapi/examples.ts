/** Examples of the API document: made-up rooms, tags and faults. */
import type { HttpContract } from "../../src/lib/http/contract.ts";
import { queryParameters } from "./schemas.ts";

type Json = Record<string, unknown>;

const name = "WsOWh_sZ3K5Z5lYTppNVJV3y";
const tag = "https://verify.example.com/sessions/8d1f";
const uuiData = `${Buffer.from(tag).toString("hex")};encoding=hex`;

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

const examples: Record<string, { request?: unknown; response?: unknown }> = {
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

/** The example of a function's request or success; none where there is no body. */
export function bodyExamples(functionName: string, kind: "request" | "response"): Json {
  const example = examples[functionName]?.[kind];
  return example === undefined ? {} : { example };
}

/** The example of a parameter. */
export function parameterExamples(parameter: string): Json {
  const values: Json = { room_name: name, uuiData, constrained_attributes: true, max_vmr: 50 };
  return { example: values[parameter] };
}

const queryFaults: Readonly<Record<string, Json>> = {
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

/** A 422 that this operation can answer: of its body, or else of its first query parameter. */
export function validationExample({ body, query }: HttpContract): Json {
  const [parameter] = query ? queryParameters(query) : [];
  return { detail: [body ? missingBody : queryFaults[String(parameter?.["name"])]] };
}
