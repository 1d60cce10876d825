/** The examples of parameters, request bodies and success bodies: fictitious rooms and tags. */
import { encodeServiceTag } from "../../../client/src/service-tag.ts";
import { type Examples, mediaExamples } from "./media-examples.ts";
import { placeOf } from "./place-of.ts";

type Json = Record<string, unknown>;

const name = "WsOWh_sZ3K5Z5lYTppNVJV3y";
const tag = "https://verify.example.com/sessions/8d1f";
const uri = "/api/admin/configuration/v1";
const resource_uri = `${uri}/conference/123/`;

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
    conference: resource_uri,
    creation_time: "2026-11-21T08:30:00.000000",
    description: "",
  },
];
const publicRoom = { ...created, aliases };
const room = { ...publicRoom, pin: "482913" };
const testCall = {
  ...room,
  id: 7,
  name: "Test call",
  service_type: "test_call",
  allow_guests: false,
  guest_pin: "",
  tag: "",
  pin: "",
  aliases: [{ id: 9, alias: "test", conference: `${uri}/conference/7/`, description: "" }],
};
const fullRoom = {
  ...room,
  resource_uri,
  creation_time: "2026-11-21T08:30:00.000000",
  description: "",
  participant_limit: 4,
  ivr_theme: [{ resource_uri: `${uri}/ivr_theme/1/` }],
  automatic_participants: [{ resource_uri: `${uri}/automatic_participant/1/` }],
};
const ended = {
  node: "10.0.0.21",
  seq: 57,
  version: 2,
  time: 1_795_250_000.5,
  event: "conference_ended",
  data: { name, service_type: "conference", tag },
};

const only = (value: unknown): Examples => ({ example: { value } });
const shapes = (constrained: unknown, full: unknown): Examples => ({
  constrained: { summary: "Constrained shape (default)", value: constrained },
  full: { summary: "Full shape, shortened (constrained_attributes=false)", value: full },
});

/** Success bodies by function. */
const responses: Readonly<Record<string, Examples>> = {
  createRoomFromQueue: only(created),
  createRoom: only(created),
  listRooms: shapes([room, testCall], [fullRoom]),
  getRoom: shapes(room, fullRoom),
  getPublicRoom: shapes(publicRoom, { ...fullRoom, pin: null }),
  healthCheck: only({ status: "alive", timestamp: "2026-11-21T08:30:00.000Z" }),
};

/** Request bodies by function. */
const requests: Readonly<Record<string, Examples>> = {
  updateRoom: {
    limits: {
      summary: "Limit the participants and unmute guests",
      value: { participant_limit: 4, mute_all_guests: false },
    },
    theme: {
      summary: "Set the theme",
      value: { ivr_theme: [{ resource_uri: `${uri}/ivr_theme/2/` }] },
    },
  },
  eventSink: {
    single: { summary: "One event", value: ended },
    bulk: {
      summary: "A bulk envelope",
      value: { node: "10.0.0.21", seq: 58, version: 2, event: "eventsink_bulk", data: [ended] },
    },
  },
};

/** Values of parameters by name. */
const parameters: Json = {
  room_name: name,
  uuiData: encodeServiceTag(tag),
  constrained_attributes: true,
  max_vmr: 50,
  "idempotency-key": "8e03978e-40d5-43dd-bc93-6894a57f9324",
  "x-correlation-id": "order-2026-11-21-0815",
};

/** Returns the examples of a success body. Throws an error that names the missing line. */
export function responseExamples(functionName: string): Json {
  const examples = responses[functionName];
  return mediaExamples(examples ?? missing(`${functionName}: only({ ... })`, "const responses"));
}

/** Returns the examples of a request body. Throws an error that names the missing line. */
export function requestExamples(functionName: string): Json {
  const examples = requests[functionName];
  return mediaExamples(examples ?? missing(`${functionName}: only({ ... })`, "const requests"));
}

/** Returns the example of a parameter. Throws an error that names the missing line. */
export function parameterExample(parameter: string): unknown {
  return parameters[parameter] ?? missing(`"${parameter}": ...`, "const parameters");
}

function missing(entry: string, table: string): never {
  throw new Error(`Add the example ${entry} below ${placeOf("tools/scripts/openapi/examples.ts", table)}`);
}
