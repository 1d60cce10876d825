/** Which conferences are rooms, which are persistent and which are foreign. */
import { expect, test } from "vitest";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { isForeign, isPersistent, isRoom } from "../../../src/lib/rooms/ownership.ts";

test.each(["test_", "test_room", "vkiosk_1"])("%s is persistent", (name) => {
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
])("service type %s: a room is %s", (service_type, expected) => {
  expect(isRoom({ id: 1, name: "x", ...(service_type !== undefined && { service_type }) })).toBe(expected);
});

const marked = { description: formatMarker({ state: "pooled", since: "2026-01-01T00:00:00.000Z" }) };
test.each([
  ["with our marker", marked, false],
  ["with our marker and another alias", { ...marked, aliases: [{ alias: "other" }] }, false],
  ["with an alias that is its name", { aliases: [{ alias: "other" }, { alias: "room" }] }, false],
  ["without aliases", { aliases: [] }, false],
  ["whose aliases are null", { aliases: null }, false],
  ["with other aliases only", { aliases: [{ alias: "other" }] }, true],
  ["that is no room, marker or not", { ...marked, service_type: "lecture" }, true],
])("a conference %s: foreign or not", (_, fields, expected) => {
  expect(isForeign({ id: 1, name: "room", ...fields })).toBe(expected);
});
