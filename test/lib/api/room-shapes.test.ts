/** The shapes of answers: what they carry, and that the host PIN and the marker stay where they belong. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { ConstrainedConference, CreatedRoom } from "../../../src/lib/api/room-schemas.ts";
import { toCreatedRoom, toReadRoom } from "../../../src/lib/api/room-shapes.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conference-row.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";

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

test("the constrained shape carries what one needs to connect, and nothing else", () => {
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

test("a created room has no host PIN, and aliases by their name alone", () => {
  expect(toCreatedRoom(row)).toEqual({
    id: 7,
    name: "room-a",
    service_type: "conference",
    allow_guests: true,
    guest_pin: "771204",
    tag: "https://verification.example.com/1",
    aliases: [{ alias: "room-a" }],
  });
});

test("a created room leaves out aliases that have no name", () => {
  const named = { alias: "room-a" };
  expect(toCreatedRoom({ ...row, aliases: [{ alias: null }, named, {}] }).aliases).toEqual([named]);
});

test("the full shape has every field, relations as lists of objects, and no marker line", () => {
  expect(toReadRoom(row, full)).toEqual({
    ...row,
    description: "by hand",
    ivr_theme: [row["ivr_theme"]],
    system_location: [{ resource_uri: "/api/admin/configuration/v1/system_location/1/" }],
    gms_access_token: null,
  });
});

test("in public, the constrained shape has no field pin, and the full one has null in it", () => {
  expect(toReadRoom(row, { ...constrained, showHostPin: false })).not.toHaveProperty("pin");
  expect(toReadRoom(row, { ...full, showHostPin: false })).toHaveProperty("pin", null);
});

test("a service that is no room shows neither PIN nor tag", () => {
  const testCall = { ...row, service_type: "test_call", allow_guests: false, guest_pin: "" };
  expect(toReadRoom(testCall, constrained)).toMatchObject({
    service_type: "test_call",
    allow_guests: false,
    pin: "",
    tag: "",
  });
});

test("fields that the platform leaves out or gives as null become empty ones of the right type", () => {
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

describe("for any row of the platform", () => {
  const text = fc.oneof(fc.string(), fc.constant(null));
  const relation = fc.oneof(
    fc.constant(null),
    fc.webPath(),
    fc.record({ id: fc.nat(), resource_uri: fc.webPath() }),
    fc.array(fc.oneof(fc.webPath(), fc.record({ id: fc.nat() }))),
  );
  const rows: fc.Arbitrary<ConferenceRow> = fc.record({
    id: fc.nat(),
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

  test("no public answer and no create answer holds the host PIN", () => {
    fc.assert(
      fc.property(rows, fc.boolean(), (any, isConstrained) => {
        const shown = toReadRoom(any, { constrained: isConstrained, showHostPin: false });
        expect(JSON.stringify([shown, toCreatedRoom(any)])).not.toContain(hostPin);
      }),
    );
  });

  test("every answer keeps its published schema, and none shows the marker", () => {
    fc.assert(
      fc.property(rows, fc.boolean(), (any, showHostPin) => {
        const answers = [
          ConstrainedConference.parse(toReadRoom(any, { constrained: true, showHostPin })),
          Conference.parse(toReadRoom(any, { constrained: false, showHostPin })),
          CreatedRoom.parse(toCreatedRoom(any)),
        ];
        expect(JSON.stringify(answers)).not.toContain("vmr-gateway pooled");
      }),
    );
  });
});
