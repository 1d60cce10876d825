/** Relations: the API's lists of objects and the platform's URIs, in both directions. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { validate } from "../../../src/lib/http/validation.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conference-row.ts";
import type { ConferenceFields } from "../../../src/lib/platform/conferences.ts";
import { manyRelations, singleRelations, toObjects, toUri } from "../../../src/lib/platform/relations.ts";
import { Conference } from "../../../src/lib/rooms/schemas.ts";
import { toReadRoom } from "../../../src/lib/rooms/shapes.ts";
import { changeRoom } from "../../../src/lib/rooms/update.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const uri = "/api/admin/configuration/v1/ivr_theme/1/";
const shownInFull = (row: ConferenceRow) => toReadRoom(row, { constrained: false, showHostPin: true });

/** Returns what the platform is sent for a PATCH of a room with this body. */
async function sentFor(row: ConferenceRow, body: unknown): Promise<ConferenceFields[]> {
  const sent: ConferenceFields[] = [];
  const update = async (_id: number, fields: ConferenceFields) => {
    sent.push(fields);
    return true;
  };
  const conferences = { findByName: async () => row, update };
  await changeRoom(conferences, row.name, validate(Conference, body, "body"), createRecordingLog());
  return sent;
}

test.each([
  ["null", null, null],
  ["nothing", undefined, null],
  ["an empty string", "", null],
  ["a URI", uri, [{ resource_uri: uri }]],
  ["an object", { id: 1 }, [{ id: 1 }]],
  ["a list of URIs", [uri, uri], [{ resource_uri: uri }, { resource_uri: uri }]],
  ["a list of objects", [{ id: 1 }, { id: 2 }], [{ id: 1 }, { id: 2 }]],
  ["an empty list", [], []],
  ["a list with other values", [null, 5, { id: 1 }], [{ id: 1 }]],
])("toObjects converts %s to the API's type", (_, value, shown) => {
  expect(toObjects(value)).toEqual(shown);
});

test.each([
  ["a URI", { resource_uri: uri, id: 9 }, uri],
  ["an ID and no URI", { id: 9 }, "/api/admin/configuration/v1/ivr_theme/9/"],
  ["neither", { name: "x" }, undefined],
  ["a URI of another API", { resource_uri: "/api/admin/command/v1/platform/restart/", id: 9 }, undefined],
  ["a URI on another host", { resource_uri: "https://example.com/x/" }, undefined],
  ["an ID that is a string", { id: "9/../../" }, undefined],
  ["a fractional ID", { id: 1.5 }, undefined],
])("toUri of an object with %s", (_, entry, expected) => {
  expect(toUri(entry, "ivr_theme")).toBe(expected);
});

test("a room that is read in full and sent back keeps its relations", async () => {
  const id = fc.nat();
  const single = (resource: string) =>
    id.chain((number) => {
      const path = `/api/admin/configuration/v1/${resource}/${number}/`;
      return fc.constantFrom<[shown: unknown, sent: unknown]>(
        [null, null],
        [path, path],
        [{ id: number, name: "x", resource_uri: path }, path],
        [{ id: number, name: "x" }, path],
      );
    });
  const many = (resource: string) =>
    fc
      .array(id)
      .map((ids): [shown: unknown, sent: unknown] => [
        ids.map((number) => ({ id: number, description: "" })),
        ids.map((number) => `/api/admin/configuration/v1/${resource}/${number}/`),
      ]);
  const relations = fc.record({
    ...Object.fromEntries(
      Object.entries(singleRelations).map(([field, resource]) => [field, single(resource)]),
    ),
    ...Object.fromEntries(Object.entries(manyRelations).map(([field, resource]) => [field, many(resource)])),
  });
  const plain = fc.record({
    id,
    name: fc.string({ minLength: 1 }),
    service_type: fc.constant("conference"),
    description: fc.oneof(fc.constant(null), fc.string({ maxLength: 100 })),
    tag: fc.string(),
    pin: fc.string(),
    participant_limit: fc.oneof(fc.constant(null), fc.nat()),
    allow_guests: fc.boolean(),
    creation_time: fc.constant("2026-04-01T15:58:06.714000"),
    aliases: fc.array(fc.record({ id, alias: fc.string() })),
  });
  await fc.assert(
    fc.asyncProperty(plain, relations, async (fields, related) => {
      const shown = Object.fromEntries(Object.entries(related).map(([field, [value]]) => [field, value]));
      const row: ConferenceRow = { ...fields, ...shown };
      const sent = await sentFor(row, JSON.parse(JSON.stringify(shownInFull(row))));
      for (const [field, [, uris]] of Object.entries(related)) expect(sent[0]?.[field]).toEqual(uris);
    }),
  );
});

test.each([
  ["gms_access_token", "gms_access_token", false],
  ["guest_identity_provider_group", "identity_provider_group", false],
  ["host_identity_provider_group", "identity_provider_group", false],
  ["ivr_theme", "ivr_theme", false],
  ["media_playlist", "media_library_playlist", false],
  ["mssip_proxy", "mssip_proxy", false],
  ["system_location", "system_location", false],
  ["automatic_participants", "automatic_participant", true],
  ["scheduled_conferences", "scheduled_conference", true],
])(
  "an ID in %s is sent as a URI of %s, and the URI is returned as an object",
  async (field, resource, isMany) => {
    const path = `/api/admin/configuration/v1/${resource}/7/`;
    const row: ConferenceRow = { id: 1, name: "room-a", [field]: isMany ? [path] : path };
    const uris = isMany ? [path] : path;
    expect(await sentFor(row, { [field]: [{ id: 7 }] })).toEqual([{ [field]: uris }]);
    expect(shownInFull(row)).toMatchObject({ [field]: [{ resource_uri: path }] });
  },
);
