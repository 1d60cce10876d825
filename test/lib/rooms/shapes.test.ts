/** The shapes of rooms in responses, without the marker and without a host PIN where none belongs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import {
  ConstrainedConference,
  CreatedRoom,
  FullConference,
  PublicConstrainedConference,
} from "../../../src/lib/rooms/schemas.ts";
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
const constrained = { constrained: true, showHostPin: true };
const full = { constrained: false, showHostPin: true };

test("the constrained shape contains the fields needed to join a room, and no others", () => {
  expect(toReadRoom(row, constrained)).toEqual({
    id: 7,
    name: "room-a",
    service_type: "conference",
    allow_guests: true,
    pin: hostPin,
    guest_pin: "771204",
    tag: "https://verification.example.com/1",
    aliases: row.aliases,
  });
});

test("a created room has no host PIN, and its aliases have only their names", () => {
  const unnamed = [{ alias: null }, {}];
  expect(toCreatedRoom({ ...row, aliases: [...aliases, ...unnamed] })).toEqual({
    id: 7,
    name: "room-a",
    service_type: "conference",
    allow_guests: true,
    guest_pin: "771204",
    tag: "https://verification.example.com/1",
    aliases: [{ alias: "room-a" }],
  });
});

test("the full shape contains every field except the marker, with relations as lists of objects", () => {
  expect(toReadRoom(row, full)).toEqual({
    ...row,
    description: "by hand",
    ivr_theme: [row["ivr_theme"]],
    system_location: [{ resource_uri: "/api/admin/configuration/v1/system_location/1/" }],
    gms_access_token: null,
  });
});

test("without the host PIN, the constrained shape omits pin and the full shape sets it to null", () => {
  expect(toReadRoom(row, { ...constrained, showHostPin: false })).not.toHaveProperty("pin");
  expect(toReadRoom(row, { ...full, showHostPin: false })).toHaveProperty("pin", null);
});

test("a service that is not a room has an empty pin and tag in the constrained shape", () => {
  const testCall = { ...row, service_type: "test_call", description: "", allow_guests: false, guest_pin: "" };
  expect(toReadRoom(testCall, constrained)).toMatchObject({
    service_type: "test_call",
    allow_guests: false,
    pin: "",
    tag: "",
  });
});

test("a room of the gateway whose service type was changed keeps its pin and tag", () => {
  const lecture = { ...row, service_type: "lecture" };
  expect(toReadRoom(lecture, constrained)).toMatchObject({ pin: row["pin"], tag: row.tag });
});

test("fields that are missing or null on the platform become empty values of the published type", () => {
  const bare = { id: 1, name: "x", service_type: null, description: null, tag: null, aliases: null };
  expect(toReadRoom(bare, constrained)).toEqual({
    id: 1,
    name: "x",
    service_type: "conference",
    allow_guests: false,
    pin: "",
    guest_pin: "",
    tag: "",
    aliases: [],
  });
  expect(toReadRoom({ id: 1, name: "x" }, constrained)).toEqual(toReadRoom(bare, constrained));
});

describe("for any conference on the platform", () => {
  const text = fc.oneof(fc.string(), fc.constant(null));
  const relation = fc.oneof(
    fc.constant(null),
    fc.webPath(),
    fc.record({ id: fc.nat(), resource_uri: fc.webPath() }),
    fc.array(fc.oneof(fc.webPath(), fc.record({ id: fc.nat() }))),
  );
  const rows: fc.Arbitrary<ConferenceRow> = fc.record({
    id: fc.nat(),
    resource_uri: fc.webPath(),
    name: fc.string({ minLength: 1 }).filter((name) => !name.includes(hostPin)),
    service_type: fc.constantFrom("conference", "lecture", "test_call"),
    description: fc.oneof(text, fc.constant(marker)),
    tag: text,
    pin: fc.constant(hostPin),
    guest_pin: text,
    allow_guests: fc.oneof(fc.boolean(), fc.constant(null)),
    aliases: fc.oneof(fc.constant(null), fc.array(fc.record({ alias: text, id: fc.nat() }))),
    ivr_theme: relation,
    system_location: relation,
    automatic_participants: relation,
    participant_limit: fc.oneof(fc.nat(), fc.constant(null)),
  });

  test("every response matches its published schema, without the marker, and without the host PIN if it is public", () => {
    fc.assert(
      fc.property(rows, fc.boolean(), (row, showHostPin) => {
        const created = toCreatedRoom(row);
        const constrained = toReadRoom(row, { constrained: true, showHostPin });
        const full = toReadRoom(row, { constrained: false, showHostPin });
        CreatedRoom.parse(created);
        (showHostPin ? ConstrainedConference : PublicConstrainedConference).parse(constrained);
        FullConference.parse(full);
        expect(JSON.stringify([constrained, full])).not.toContain("vmr-gateway vmr-gateway pooled");
        const withoutPin = showHostPin ? [created] : [created, constrained, full];
        expect(JSON.stringify(withoutPin)).not.toContain(hostPin);
      }),
    );
  });
});
