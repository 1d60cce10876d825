/** Updates of a room: accepted, ignored and rejected fields and values. */
import { beforeEach, expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { Conference } from "../../../src/lib/rooms/schemas.ts";
import { changeRoom, toUpdateFields } from "../../../src/lib/rooms/update.ts";
import { valueError } from "../../support/faults.ts";
import { formatMarker } from "../../support/markers.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const since = "2026-01-15T09:00:00.000Z";
const marker = formatMarker({ state: "assigned", since, messageId: "m-1" });
const forged = formatMarker({ state: "pooled", since: "2020-01-01T00:00:00.000Z" });
const longest = formatMarker({
  gateway: "x".repeat(20),
  state: "assigned",
  since,
  messageId: "0a1b2c3d-1111-4222-8333-444455556666",
  fingerprint: "1f6ca54f",
});
const text135 = "🏠".repeat(135);
const maxCharacters = 250 - marker.length - 1;
const configuration = "/api/admin/configuration/v1";
const theme = (id: number) => `${configuration}/ivr_theme/${id}/`;
const participant = (id: number) => `${configuration}/automatic_participant/${id}/`;

const room: ConferenceRow = {
  id: 7,
  name: "room-a",
  description: `by hand\n${marker}`,
  aliases: [{ alias: "room-a" }, { alias: "second" }, { alias: "third" }],
  new_in_version_40: [],
  teams_proxy: null,
  shared: { id: 4, name: "kept" },
};
const described = (description: string) => ({ ...room, description });

const sentFor = (change: object, row = room) => toUpdateFields(Conference.parse(change), row);

test.each([
  ["read-only fields", { id: 99, resource_uri: "/x/", creation_time: since, scheduled_conferences_count: 5 }],
  ["the present name and description", { name: "room-a", description: "by hand" }],
  ["null for name and aliases", { name: null, aliases: null }],
  ["the present aliases", { aliases: [{ alias: "second" }, { alias: "third", id: 7 }, { alias: "room-a" }] }],
  ["a present object", { shared: { name: "kept", id: 4 } }],
])("Read-only fields and present values are not sent to the platform: %s", (_, change) => {
  expect(sentFor({ ...change, tag: "" })).toStrictEqual({ tag: "" });
});

test.each([
  ["null", { ivr_theme: null, automatic_participants: null, host_view: null }],
  ["unknown fields", { new_in_version_40: [5, "text"], teams_proxy: `${configuration}/teams_proxy/2/` }],
  ["null in an unknown field", { teams_proxy: null }],
])("Null and fields that only the platform knows are sent to it unchanged: %s", (_, change) => {
  expect(sentFor(change)).toStrictEqual(change);
});

test.each<[string, object, object]>([
  ["one object", { ivr_theme: theme(1) }, { ivr_theme: theme(1) }],
  [
    "no objects",
    { ivr_theme: [], automatic_participants: [] },
    { ivr_theme: null, automatic_participants: [] },
  ],
  [
    "a list of objects",
    { automatic_participants: [participant(1), { id: 2 }] },
    { automatic_participants: [participant(1), participant(2)] },
  ],
])("Relations to %s are sent as the paths that the platform expects", (_, change, sent) => {
  expect(sentFor(change)).toStrictEqual(sent);
});

test.each<[string, string | null, string | undefined, string?]>([
  ["new text", "new", `new\n${marker}`],
  ["null", null, marker],
  ["a text with a forged marker", `new\n${forged}`, `new\n${marker}`],
  ["a forged marker for a room without one", `new\n${forged}`, "new", ""],
  ["the present text of a room in the pool", "x", undefined, `x\n${forged}`],
  ["as many characters as fit", "x".repeat(maxCharacters), `${"x".repeat(maxCharacters)}\n${marker}`],
  ["135 characters before another gateway's marker", text135, `${text135}\n${longest}`, longest],
])(
  "A description is sent with the present marker: %s",
  (_, description, sent, present = room.description) => {
    expect(sentFor({ description }, { ...room, description: present })).toEqual({ description: sent });
  },
);

const unknown = (field: string) => ({
  type: "extra_forbidden",
  loc: ["body", field],
  msg: "Extra inputs are not permitted",
});
const unusable = (...loc: unknown[]) =>
  valueError(["body", ...loc], "the object must contain the resource_uri or id from a GET response");
const shared = (field: string) =>
  valueError(["body", field], "must be the value from a GET response, or the URI of another object");
const tooMany = valueError(["body", "ivr_theme"], "at most one object is allowed");
const isPooled = valueError(
  ["body", "description"],
  "the description of a room in the pool cannot be changed",
);
const fixed = (field: string) => valueError(["body", field], `${field} cannot be changed`);
const tooLong = {
  type: "string_too_long",
  loc: ["body", "description"],
  msg: `String should have at most ${maxCharacters} characters`,
  ctx: { max_length: maxCharacters },
};

test.each<[string, object, object[], ConferenceRow?]>([
  ["a field in another case", { Participant_Limit: 5 }, [unknown("Participant_Limit")]],
  ["an unknown field", { tagg: "482913" }, [unknown("tagg")]],
  ["a field that every object has", { constructor: 1 }, [unknown("constructor")]],
  ["another name", { name: "room-b" }, [fixed("name")]],
  ["no aliases", { aliases: [] }, [fixed("aliases")]],
  ["another name", { aliases: ["room-a", "second", "x"].map((alias) => ({ alias })) }, [fixed("aliases")]],
  ["joined aliases", { aliases: [{ alias: "room-a" }, { alias: "secondthird" }] }, [fixed("aliases")]],
  ["an alias without a name", { aliases: [{ alias: "room-a" }, { alias: null }] }, [fixed("aliases")]],
  ["a description for a room in the pool", { description: "new" }, [isPooled], described(`x\n${forged}`)],
  ["a description that is too long", { description: "x".repeat(maxCharacters + 1) }, [tooLong]],
  ["a changed object in a field that only the platform knows", { shared: { id: 4 } }, [shared("shared")]],
  ["a list of objects in such a field", { new_in_version_40: [5, { id: 1 }] }, [shared("new_in_version_40")]],
  ["a list of lists in such a field", { new_in_version_40: [[{}]] }, [shared("new_in_version_40")]],
  ["an object as tag", { tag: { id: 1 } }, [shared("tag")]],
  ["two objects where one is possible", { ivr_theme: [{ id: 1 }, { id: 1 }] }, [tooMany]],
  [
    "several faults",
    { aliases: [], automatic_participants: [{ id: 1 }, {}], name: "x", tagg: 1 },
    [unknown("tagg"), fixed("aliases"), unusable("automatic_participants", 1), fixed("name")],
  ],
])("An update with %s is rejected as a whole", (_, change, faults, row = room) => {
  const error = expect.objectContaining({ code: "invalid-request", status: 422, details: { faults } });
  expect(() => toUpdateFields({ call_type: "audio", ...Conference.parse(change) }, row)).toThrow(error);
});

test.each(["aliases", "automatic_participants"])("More than 1,000 entries of %s are one fault", (field) => {
  const issuesOf = (length: number) => Conference.safeParse({ [field]: Array(length).fill(0) }).error?.issues;
  const issue = { path: [field], message: "a list must have at most 1000 entries" };
  expect(issuesOf(1001)).toMatchObject([issue]);
  expect(issuesOf(1000)).toHaveLength(1000);
});

const world = usePoolWorld();
beforeEach(() => {
  world.addRoom("room-a", { description: `by hand\n${marker}`, pin: "482913", guest_pin: "771204" });
});
const change = async (fields: Conference, name = "room-a") =>
  changeRoom(world.conferences, name, fields, world.log);

test("An update is logged with the room, but without the values, if it takes place", async () => {
  await change({
    tag: "https://verify.example.com/canary",
    participant_limit: 12,
    guests_can_see_guests: "always",
  });
  expect(world.room("room-a")).toMatchObject({ participant_limit: 12, guests_can_see_guests: "always" });
  await change({ id: 5 });
  await expect(change({ tag: "x" }, "other")).rejects.toMatchObject({ code: "room-not-found" });
  world.platform.addFault({ kind: "status", status: 404, method: "PATCH" });
  await expect(change({ call_type: "audio" })).rejects.toMatchObject({ code: "room-not-found" });
  expect(world.log.lines).toEqual([{ level: "info", event: "room-updated", fields: { room: "room-a" } }]);
});

const unnamed = { "the PIN 482913 is taken": ["x"] };
test.each<[string, unknown, string[] | undefined]>([
  ["fields", { conference: { call_type: ["short"], host_view: ["short"] } }, ["call_type", "host_view"]],
  ["the room as a whole", { conference: { __all__: ["short"] } }, []],
  [
    "a field, and more",
    { conference: { pin: [""], __all__: [""], ...unnamed }, other: { pin: [""] } },
    ["pin"],
  ],
  ["no usable field", { conference: unnamed }, undefined],
])("A 400 of the platform that names %s is 422 at each field, or 502", async (_, body, fields) => {
  world.platform.addFault({ kind: "status", status: 400, body, method: "PATCH" });
  const places = fields?.length ? fields.map((field) => ["body", field]) : [["body"]];
  const faults = places.map((loc) => valueError(loc, "the conferencing platform rejected this value"));
  const refused = { code: "invalid-request", details: { faults }, cause: { platformStatus: 400 } };
  const failed = { code: "platform-rejected", status: 502, platformStatus: 400 };
  await expect(change({ call_type: "smoke" })).rejects.toMatchObject(fields ? refused : failed);
});
