/** Which conferences are rooms, which are persistent and which are foreign. */
import { expect, test } from "vitest";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { isForeign, isPersistent, isRoom } from "../../../src/lib/rooms/ownership.ts";

test.each(["test_", "test_room", "vkiosk_1"])("a room named %s is persistent", (name) => {
  expect(isPersistent(name)).toBe(true);
});

test.each(["test", "Test_room", "atest_", "vkiosk", " test_room", ""])(
  "a room named %j is not persistent",
  (name) => {
    expect(isPersistent(name)).toBe(false);
  },
);

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
  ["that has a marker but is not a room", { ...marked, service_type: "lecture" }, true],
])("isForeign of a conference %s", (_, fields, expected) => {
  expect(isForeign({ id: 1, name: "room", ...fields })).toBe(expected);
});
