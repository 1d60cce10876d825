/** The fictitious examples in the API document. Parameters have theirs in their schema. */

import { toCreatedRoom, toReadRoom } from "../../src/lib/rooms/shapes.ts";

/** Examples by name. Viewers show the name if there is no summary. A single one has no name. */
export type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;

/** The examples of an operation's bodies. */
export interface BodyExamples {
  readonly request?: Examples;
  /** Success bodies. */
  readonly response?: Examples;
  /** Of 422. */
  readonly invalid?: Examples;
}

const name = "WsOWh_sZ3K5Z5lYTppNVJV3y";
const tag = "https://verify.example.com/sessions/8d1f";
const uri = "/api/admin/configuration/v1";
const resource_uri = `${uri}/conference/123/`;
const creation_time = "2026-11-21T08:30:00.000000";

const row = {
  id: 123,
  name,
  service_type: "conference",
  allow_guests: true,
  guest_pin: "771204",
  tag,
  aliases: [{ id: 123, alias: name, conference: resource_uri, creation_time, description: "" }],
  pin: "482913",
  resource_uri,
  creation_time,
  description: "",
  participant_limit: 4,
  ivr_theme: [{ resource_uri: `${uri}/ivr_theme/1/` }],
  automatic_participants: [{ resource_uri: `${uri}/automatic_participant/1/` }],
};
const room = toReadRoom(row, { constrained: true, showHostPin: true });
const fullRoom = toReadRoom(row, { constrained: false, showHostPin: true });
const publicRoom = toReadRoom(row, { constrained: true, showHostPin: false });
const publicFullRoom = toReadRoom(row, { constrained: false, showHostPin: false });

const inBothShapes = (constrained: unknown, full: unknown): Examples => ({
  constrained: { summary: "Constrained shape (default)", value: constrained },
  full: { summary: "Full shape, shortened (constrained_attributes=false)", value: full },
});

const invalid = (fault: object): Examples => ({ invalid: { value: { detail: [fault] } } });
const ofValue = { type: "value_error", ctx: { error: {} } };
const invalidShape = invalid({
  type: "bool_parsing",
  loc: ["query", "constrained_attributes"],
  msg: "Input should be a valid boolean, unable to interpret input",
  input: "maybe",
});

const created: BodyExamples = {
  response: { created: { value: toCreatedRoom(row) } },
  invalid: invalid({
    ...ofValue,
    loc: ["query", "uuiData"],
    msg: "Value error, uuiData must be pairs of hexadecimal digits, percent-encoded only once",
    input: "xyz;encoding=hex",
  }),
};

const conferenceEnded = {
  node: "10.0.0.21",
  seq: 57,
  version: 2,
  time: 1_795_250_000.5,
  event: "conference_ended",
  data: { name, service_type: "conference", tag },
};

/** The examples of the functions by their names. Those without a body have none. */
export const examplesByFunction: Readonly<Record<string, BodyExamples>> = {
  createRoomFromQueue: created,
  createRoom: created,
  getRoom: { response: inBothShapes(room, fullRoom), invalid: invalidShape },
  getPublicRoom: { response: inBothShapes(publicRoom, publicFullRoom), invalid: invalidShape },
  listRooms: { response: inBothShapes([room], [fullRoom]), invalid: invalidShape },
  bulkCreateRooms: {
    invalid: invalid({
      ...ofValue,
      loc: ["query", "max_vmr"],
      msg: "Value error, max_vmr must be sent only once",
    }),
  },
  updateRoom: {
    invalid: invalid({
      type: "extra_forbidden",
      loc: ["body", "colour"],
      msg: "Extra inputs are not permitted",
    }),
    request: { limits: { value: { participant_limit: 4, mute_all_guests: false } } },
  },
  eventSink: {
    invalid: invalid({ type: "dict_type", loc: ["body"], msg: "Input should be a valid dictionary" }),
    request: {
      single: { summary: "One event", value: conferenceEnded },
      bulk: {
        summary: "A bulk envelope",
        value: { node: "10.0.0.21", seq: 58, version: 2, event: "eventsink_bulk", data: [conferenceEnded] },
      },
    },
  },
  healthCheck: {
    response: { alive: { value: { status: "alive", timestamp: "2026-11-21T08:30:00.000Z" } } },
  },
};
