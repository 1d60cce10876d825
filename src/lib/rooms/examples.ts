/** Fictitious rooms for the examples of the API document. */
import type { Examples } from "../http/contract.ts";

const name = "WsOWh_sZ3K5Z5lYTppNVJV3y";
const tag = "https://verify.example.com/sessions/8d1f";
const uri = "/api/admin/configuration/v1";
const resource_uri = `${uri}/conference/123/`;
const creation_time = "2026-11-21T08:30:00.000000";

const createdRoom = {
  id: 123,
  name,
  service_type: "conference",
  allow_guests: true,
  guest_pin: "771204",
  tag,
  aliases: [{ alias: name }],
};
const publicRoom = {
  ...createdRoom,
  aliases: [{ id: 123, alias: name, conference: resource_uri, creation_time, description: "" }],
};
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
  creation_time,
  description: "",
  participant_limit: 4,
  ivr_theme: [{ resource_uri: `${uri}/ivr_theme/1/` }],
  automatic_participants: [{ resource_uri: `${uri}/automatic_participant/1/` }],
};

const inBothShapes = (constrained: unknown, full: unknown): Examples => ({
  constrained: { summary: "Constrained shape (default)", value: constrained },
  full: { summary: "Full shape, shortened (constrained_attributes=false)", value: full },
});

export const createdRoomExample: Examples = { created: { value: createdRoom } };
export const roomExamples = inBothShapes(room, fullRoom);
export const publicRoomExamples = inBothShapes(publicRoom, { ...fullRoom, pin: null });
export const roomListExamples = inBothShapes([room, testCall], [fullRoom]);
export const roomChangeExamples: Examples = {
  limits: {
    summary: "Limit the participants and unmute guests",
    value: { participant_limit: 4, mute_all_guests: false },
  },
  theme: { summary: "Set the theme", value: { ivr_theme: [{ resource_uri: `${uri}/ivr_theme/2/` }] } },
};
export const conferenceEndedExample = {
  node: "10.0.0.21",
  seq: 57,
  version: 2,
  time: 1_795_250_000.5,
  event: "conference_ended",
  data: { name, service_type: "conference", tag },
};
