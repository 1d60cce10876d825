/** Which conferences are rooms, which are persistent and which are foreign. */
import { expect, test } from "vitest";
import { formatMarker, isDialable, isForeign, isPersistent, isRoom } from "../../../src/lib/pool/room.ts";

test.each(["test_", "test_room", "vkiosk_1"])("a room named %s is persistent", (name) => {
  expect(isPersistent(name)).toBe(true);
});

test.each(["test", "Test_room", "atest_", "vkiosk", " test_room", ""])("%j is not persistent", (name) => {
  expect(isPersistent(name)).toBe(false);
});

test.each([
  ["conference", true],
  ["lecture", false],
  ["test_call", false],
  ["two_stage_dialing", false],
  ["media_playback", false],
  [undefined, true],
  [null, true],
])("isRoom of service type %s is %s", (service_type, expected) => {
  expect(isRoom({ id: 1, name: "x", ...(service_type !== undefined && { service_type }) })).toBe(expected);
});

const marked = { description: formatMarker({ state: "pooled", since: "2026-01-01T00:00:00.000Z" }) };
test.each([
  ["with a marker", marked, false],
  ["with a marker and another alias", { ...marked, aliases: [{ alias: "other" }] }, false],
  ["with its name among its aliases", { aliases: [{ alias: "other" }, { alias: "room" }] }, false],
  ["without aliases", { aliases: [] }, false],
  ["with null as aliases", { aliases: null }, false],
  ["with other aliases only", { aliases: [{ alias: "other" }] }, true],
  ["that has a marker and another service type", { ...marked, service_type: "lecture" }, false],
  ["that is not a room", { service_type: "lecture" }, true],
  ["with a synchronisation tag", { sync_tag: "directory" }, true],
  ["with an empty synchronisation tag", { sync_tag: "" }, false],
  ["with an owner", { primary_owner_email_address: "anna@example.com" }, true],
  ["with a scheduled conference", { scheduled_conferences_count: 1 }, true],
  ["with no scheduled conference", { scheduled_conferences_count: 0 }, false],
  ["with a marker and an owner", { ...marked, primary_owner_email_address: "anna@example.com" }, false],
])("isForeign of a conference %s", (_, fields, expected) => {
  expect(isForeign({ id: 1, name: "room", ...fields }, "collect")).toBe(expected);
});

test("isForeign of a room without a marker is true if such rooms are kept, and false with a marker", () => {
  expect(isForeign({ id: 1, name: "room", aliases: [{ alias: "room" }] }, "keep")).toBe(true);
  expect(isForeign({ id: 1, name: "room", ...marked }, "keep")).toBe(false);
});

test.each([
  [[{ alias: "other" }, { alias: "room" }], true],
  [[{ alias: "ROOM" }], false],
  [[], false],
  [null, false],
])("isDialable of a room with the aliases %j is %s", (aliases, expected) => {
  expect(isDialable({ id: 1, name: "room", aliases })).toBe(expected);
});
