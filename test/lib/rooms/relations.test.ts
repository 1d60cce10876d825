/** The relations of a room: from the platform to the API's type and back. */
import { expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { toObjects, toUri } from "../../../src/lib/rooms/relations.ts";
import { Conference } from "../../../src/lib/rooms/schemas.ts";
import { toReadRoom } from "../../../src/lib/rooms/shapes.ts";
import { toUpdateFields } from "../../../src/lib/rooms/update.ts";

const uri = (resource: string, id = 7) => `/api/admin/configuration/v1/${resource}/${id}/`;

test.each([
  ["nothing", undefined, null],
  ["an empty string", "", null],
  ["a list with other values", [null, 5, { id: 1 }], [{ id: 1 }]],
])("toObjects converts %s to the API's type", (_, value, shown) => {
  expect(toObjects(value)).toEqual(shown);
});

test.each([
  ["a URI of another API", { resource_uri: "/api/admin/command/v1/platform/restart/", id: 9 }, undefined],
  ["an ID that is a string", { id: "9/../../" }, undefined],
  ["null", null, undefined],
  ["a string", "7", undefined],
])("toUri returns a usable URI or none for %s", (_, entry, expected) => {
  expect(toUri(entry, "ivr_theme")).toBe(expected);
});

test("An ID in any relation is sent as a URI of its resource, which is returned as an object", () => {
  const stored = {
    gms_access_token: uri("gms_access_token"),
    guest_identity_provider_group: uri("identity_provider_group"),
    host_identity_provider_group: uri("identity_provider_group"),
    ivr_theme: uri("ivr_theme"),
    media_playlist: uri("media_library_playlist"),
    mssip_proxy: uri("mssip_proxy"),
    system_location: uri("system_location"),
    automatic_participants: [uri("automatic_participant")],
    scheduled_conferences: [uri("scheduled_conference")],
  };
  const row: ConferenceRow = { id: 1, name: "room-a", ...stored };
  const shown = toReadRoom(row, { constrained: false, showHostPin: true });
  const byId = Object.fromEntries(Object.keys(stored).map((field) => [field, [{ id: 7 }]]));

  expect(toUpdateFields(Conference.parse(byId), row)).toEqual(stored);
  for (const [field, uris] of Object.entries(stored))
    expect(shown).toMatchObject({ [field]: [uris].flat().map((resource_uri) => ({ resource_uri })) });
});
