/** The relations of a room: from the platform to the API's type and back. */
import { expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { manyRelations, singleRelations, toObjects } from "../../../src/lib/rooms/relations.ts";
import { Conference } from "../../../src/lib/rooms/schemas.ts";
import { toReadRoom } from "../../../src/lib/rooms/shapes.ts";
import { toUpdateFields } from "../../../src/lib/rooms/update.ts";

const uri = (resource: string, id = 47) => `/api/admin/configuration/v1/${resource}/${id}/`;

test.each([
  ["nothing", undefined, null],
  ["an empty string", "", null],
  ["a list with other values", [null, 5, { id: 1 }], [{ id: 1 }]],
])("`toObjects` converts %s to the API's type", (_, value, shown) => {
  expect(toObjects(value)).toEqual(shown);
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
  const byId = Object.fromEntries(Object.keys(stored).map((field) => [field, [{ id: 47 }]]));

  expect(toUpdateFields(Conference.parse(byId), row)).toEqual(stored);
  for (const [field, uris] of Object.entries(stored))
    expect(shown).toMatchObject({ [field]: [uris].flat().map((resource_uri) => ({ resource_uri })) });
});

// The relations of version 41, as Pexip's Go SDK (v41) lists them, except `aliases`, which cannot be written at all.
const relations = Object.entries({ ...singleRelations, ...manyRelations, teams_proxy: "teams_proxy" });
const row: ConferenceRow = { id: 1, name: "room-a", teams_proxy: null };
const update = (change: object) => toUpdateFields(Conference.parse(change), row);

test.each(relations)(
  "The relation %s accepts null and the path of an object of its resource",
  (field, to) => {
    const sent = field in manyRelations ? [uri(to)] : uri(to);
    expect(update({ [field]: uri(to) })).toEqual({ [field]: sent });
    expect(update({ [field]: null })).toEqual({ [field]: null });
  },
);

/** What is wrong with a URI, given a good one and that of another resource. */
const badUris: Readonly<Record<string, (own: string, other: string) => unknown>> = {
  "another resource": (_, other) => other,
  "another API": () => "/api/admin/command/v1/platform/restart/",
  "no final slash": (own) => own.slice(0, -1),
  "a host before its path": (own) => `https://platform.example.com${own}`,
  "dots behind its path": (own) => `${own}../8/`,
  "dots in its path": (own) => own.replace("47/", "../conference/47/"),
  "a query": (own) => `${own}?id=8`,
  "a line break": (own) => `${own}\n`,
  "no ID": (own) => own.replace("47/", ""),
  "an escaped ID": (own) => own.replace("47", "%37"),
  "an ID of zero": (own) => own.replace("47", "0"),
  "a negative ID": (own) => own.replace("47", "-1"),
  "an ID beyond those of databases": (own) => own.replace("47", "1000000000"),
  "no characters": () => "",
  "an ID alone": () => "47",
};
const badValues: typeof badUris = {
  "a number": () => 47,
  "a boolean": () => true,
  "an object instead of a list": (own) => ({ resource_uri: own, id: 47 }),
  "a list in a list": (own) => [[own]],
  "a list with null": () => [null],
  "an object without reference": () => [{ name: "x" }],
  "an object with a negative ID": () => [{ id: -1 }],
  "an object with an ID of zero": () => [{ id: 0 }],
  "an object with a fractional ID": () => [{ id: 1.5 }],
  "an object with a text as ID": () => [{ id: "9/../../" }],
};

function isRefused(field: string, value: unknown): boolean {
  const parsed = Conference.safeParse({ [field]: value });
  if (!parsed.success) return parsed.error.issues.every(({ path }) => path[0] === field);
  const loc = expect.arrayContaining(["body", field]);
  const fault = expect.objectContaining({
    code: "invalid-request",
    details: { faults: [expect.objectContaining({ loc })] },
  });
  expect(() => toUpdateFields(parsed.data, row)).toThrow(fault);
  return true;
}

test.each([
  ...Object.entries(badValues),
  ...Object.entries(badUris).map(([what, make]) => [`a URI with ${what}`, make] as const),
  ...Object.entries(badUris).map(
    ([what, make]) =>
      [
        `an object whose URI has ${what}`,
        (own: string, other: string) => [{ id: 47, resource_uri: make(own, other) }],
      ] as const,
  ),
])("Every relation rejects %s, and names its field", (_, make) => {
  for (const [field, to] of relations) {
    const value = make(uri(to), uri(to === "ivr_theme" ? "system_location" : "ivr_theme"));
    expect([field, isRefused(field, value)]).toEqual([field, true]);
  }
});
