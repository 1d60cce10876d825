/** The shapes of rooms in responses, without the marker and without a host PIN where none belongs. */
import { expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { toCreatedRoom, toReadRoom } from "../../../src/lib/rooms/shapes.ts";
import { formatMarker } from "../../support/markers.ts";

const hostPin = "48291377";
const marker = formatMarker({ state: "pooled", since: "2026-01-15T09:00:00.000Z" });
const aliases = [
  { id: 3, alias: "room-a", conference: "/api/admin/configuration/v1/conference/7/", description: "" },
];
const row: ConferenceRow = {
  id: 7,
  name: "room-a",
  service_type: "conference",
  description: `by hand\n${marker}`,
  tag: "https://verification.example.com/1",
  allow_guests: true,
  pin: hostPin,
  guest_pin: "771204",
  aliases,
  ivr_theme: { id: 1, name: "Theme", resource_uri: "/api/admin/configuration/v1/ivr_theme/1/" },
  system_location: "/api/admin/configuration/v1/system_location/1/",
  gms_access_token: null,
  automatic_participants: [{ id: 5, alias: "sip:queue@example.com" }],
  scheduled_conferences: [],
  future_field: { kept: true },
};
const guestFields = {
  id: 7,
  name: "room-a",
  service_type: "conference",
  allow_guests: true,
  guest_pin: "771204",
  tag: "https://verification.example.com/1",
};
const fullFields = {
  ...row,
  description: "by hand",
  ivr_theme: [row["ivr_theme"]],
  system_location: [{ resource_uri: "/api/admin/configuration/v1/system_location/1/" }],
};
const bare = { id: 1, name: "x" };
const empty = { service_type: "conference", allow_guests: false, guest_pin: "", tag: "", aliases: [] };

test.each<[string, ConferenceRow, object, object]>([
  ["constrained: the fields to join", row, { constrained: true }, { ...guestFields, pin: hostPin, aliases }],
  [
    "constrained, public: no host PIN",
    row,
    { constrained: true, showHostPin: false },
    { ...guestFields, aliases },
  ],
  ["full: every field but the marker, with relations as lists", row, {}, fullFields],
  ["full, public: null as host PIN", row, { showHostPin: false }, { ...fullFields, pin: null }],
  [
    "full, public, of a service that is not a room: null as host PIN",
    { ...row, service_type: "lecture", description: "" },
    { showHostPin: false },
    { ...fullFields, service_type: "lecture", description: "", pin: null },
  ],
  [
    "constrained, of a service that is not a room: neither PIN nor tag",
    { ...row, service_type: "test_call", description: "" },
    { constrained: true },
    { ...guestFields, service_type: "test_call", aliases, pin: "", tag: "" },
  ],
  [
    "constrained, of a room of the gateway of another type",
    { ...row, service_type: "lecture" },
    { constrained: true },
    { ...guestFields, service_type: "lecture", aliases, pin: hostPin },
  ],
  [
    "constrained, of fields that are null",
    { ...bare, service_type: null, description: null, tag: null, aliases: null },
    { constrained: true },
    { ...bare, ...empty, pin: "" },
  ],
])("The shape %s", (_, conference, options, shown) => {
  expect(toReadRoom(conference, { constrained: false, showHostPin: true, ...options })).toEqual(shown);
});

test("A created room has no host PIN, and its aliases have only their names", () => {
  const created = toCreatedRoom({ ...row, aliases: [...aliases, { alias: null }, {}, { alias: "second" }] });
  expect(created).toEqual({ ...guestFields, aliases: [{ alias: "room-a" }, { alias: "second" }] });
});
