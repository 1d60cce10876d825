/** A room's marker, its owner, and the text of messages about it. */
import { describe, expect, test } from "vitest";
import {
  decodeRoomMessage,
  encodeRoomMessage,
  formatMarker,
  isDialable,
  isForeign,
  isPersistent,
  isRoom,
  type Marker,
  parseMarker,
  type RoomMessage,
  withMarker,
  withoutMarker,
} from "../../../src/lib/ownership/room.ts";

describe("The marker", () => {
  const gateway = "production";
  const pooled: Marker = { gateway, state: "pooled", since: "2026-01-15T09:00:00.000Z" };
  const since = "2026-01-15T09:05:00.000Z";
  const assigned: Marker = { gateway, state: "assigned", since, messageId: "m-1" };
  const made: Marker = { ...pooled, fingerprint: "0f1e2d3c" };
  const used: Marker = { ...assigned, fingerprint: "0f1e2d3c" };

  test.each([
    ["pooled", pooled, "vmr-gateway production pooled 2026-01-15T09:00:00.000Z"],
    ["assigned", used, "vmr-gateway production assigned 2026-01-15T09:05:00.000Z m-1 f:0f1e2d3c"],
  ])("of a room that is %s is written as operators search for it, and read again", (_, marker, line) => {
    expect(formatMarker(marker)).toBe(line);
    expect(parseMarker(line)).toEqual({ messageId: undefined, fingerprint: undefined, ...marker });
  });

  const tooLong = "x".repeat(250);
  test.each<[string, string | null | undefined, Marker, string]>([
    ["null", null, pooled, formatMarker(pooled)],
    ["nothing", undefined, pooled, formatMarker(pooled)],
    ["an empty text", "", pooled, formatMarker(pooled)],
    ["a text", "made by hand", pooled, `made by hand\n${formatMarker(pooled)}`],
    ["a marker", `one\n${formatMarker(pooled)}\ntwo`, assigned, `one\ntwo\n${formatMarker(assigned)}`],
    // A room keeps the fingerprint that it was made with.
    ["a fingerprint", formatMarker(made), { ...assigned, fingerprint: "11111111" }, formatMarker(used)],
    ["a long text", tooLong, assigned, `${"x".repeat(189)}\n${formatMarker(assigned)}`],
    ["all of it", `${formatMarker(made)}\n${tooLong}`, made, `${"x".repeat(184)}\n${formatMarker(made)}`],
  ])("takes the place of another in a description with %s, within 250 characters", (...given) => {
    const [, description, marker, expected] = given;
    expect(withMarker(description, marker)).toBe(expected);
    expect(expected.length).toBeLessThanOrEqual(250);
  });

  test("shortens a description to 250 characters, which may have two UTF-16 units each", () => {
    expect(withMarker("😀".repeat(250), assigned)).toBe(`${"😀".repeat(189)}\n${formatMarker(assigned)}`);
  });

  test.each([
    [`${formatMarker(pooled)}\nmade by hand`, pooled, "made by hand"],
    [`one\r\n${formatMarker(pooled)}\r\ntwo`, pooled, "one\ntwo"],
    [`${formatMarker(assigned)}  `, assigned, ""],
    [`one\n${formatMarker(pooled)}\ntwo\n${formatMarker(assigned)}`, assigned, "one\ntwo"],
    // A single-line form removes line breaks.
    [`Zoë's room${formatMarker(used)}`, used, "Zoë's room"],
    [`one${formatMarker(pooled)}${formatMarker(assigned)}`, assigned, "one"],
    [`${formatMarker({ ...assigned, messageId: undefined })} f:no`, { ...assigned, messageId: "f:no" }, ""],
  ])("is read from the last marker line of `%s`, and all such lines are removed", (text, marker, others) => {
    expect(parseMarker(text)).toEqual({ messageId: undefined, fingerprint: undefined, ...marker });
    expect(withoutMarker(text)).toBe(others);
  });

  test.each([
    "one\r\ntwo",
    "vmr-gateway production pooled",
    "vmr-gateway pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c",
    "vmr-gateway production reserved 2026-01-15T09:00:00.000Z",
    "vmr-gateway  pooled 2026-01-15T09:00:00.000Z",
    "vmr-gateway production pooled  m-1",
    "vmr-gateway production assigned 2026-01-15T09:00:00.000Z  f:0f1e2d3c",
    "VMR-GATEWAY production pooled 2026-01-15T09:00:00.000Z",
    "one vmr-gateway  pooled 2026-01-15T09:00:00.000Z",
    "vmr-gateway production pooled 2026-01-15T09:00:00.000Z m-1 and more",
    "vmr-gateway production pooled 2026-01-15T09:00:00.000Z m-1 f:0f1e2d3c4",
    "vmr-gateway production pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c m-1",
  ])("is not read from `%s`, which stays in the description", (description) => {
    expect(parseMarker(description)).toBeUndefined();
    expect(withoutMarker(description)).toBe(description);
  });
});

describe("For a room", () => {
  test.each([
    ["test_", true],
    ["vkiosk_1", true],
    ["test", false],
    ["Test_room", false],
    ["atest_", false],
  ])("named %s, `isPersistent` returns %s", (name, expected) => {
    expect(isPersistent(name)).toBe(expected);
  });

  const marked = {
    description: formatMarker({ gateway: "any", state: "pooled", since: "2026-01-01T00:00:00.000Z" }),
  };
  test.each([
    ["of type conference", { service_type: "conference" }, true, false],
    ["of another type", { service_type: "lecture" }, false, true],
    ["of no type", { service_type: null }, true, false],
    ["with a marker and another type", { ...marked, service_type: "lecture" }, true, false],
    ["with a marker and another alias", { ...marked, aliases: [{ alias: "other" }] }, true, false],
    ["with its name among its aliases", { aliases: [{ alias: "other" }, { alias: "room" }] }, true, false],
    ["without aliases", { aliases: [] }, true, false],
    ["with null as aliases", { aliases: null }, true, false],
    ["with other aliases only", { aliases: [{ alias: "room-2" }] }, true, true],
    ["with a synchronisation tag", { sync_tag: "directory" }, true, true],
    ["with an empty synchronisation tag", { sync_tag: "" }, true, false],
    ["with an owner", { primary_owner_email_address: "anna@example.com" }, true, true],
    ["with a scheduled conference", { scheduled_conferences_count: 1 }, true, true],
    ["with no scheduled conference", { scheduled_conferences_count: 0 }, true, false],
    ["with a marker and an owner", { ...marked, primary_owner_email_address: "a@example.com" }, true, false],
  ])("%s, `isRoom` and `isForeign` return what its row says", (_, fields, room, foreign) => {
    const conference = { id: 1, name: "room", ...fields };
    expect([isRoom(conference), isForeign(conference, "collect")]).toEqual([room, foreign]);
    // A room without a marker is foreign if such rooms are kept.
    expect(isForeign(conference, "keep")).toBe(!("description" in fields));
  });

  test.each([
    ["with its name among its aliases", true, [{ alias: "other" }, { alias: "room" }]],
    ["whose alias has another case", false, [{ alias: "ROOM" }]],
    ["with null as aliases", false, null],
  ])("%s, `isDialable` returns %s", (_, expected, aliases) => {
    expect(isDialable({ id: 1, name: "room", aliases })).toBe(expected);
  });
});

describe("A message", () => {
  const all = { queuedBy: "gateway", claimId: "claim-1", reason: "test", operator: "id" } as const;

  test.each<[string, RoomMessage, string]>([
    ["a name", { room: "Zoë's room", queuedBy: undefined }, "Zoë's room"],
    ["an empty name", { room: "" }, ""],
    ["refusals", { room: "room-a", refusals: 3 }, '{"room":"room-a","refusals":3}'],
    ["failures", { room: "room-a", failures: 0 }, '{"room":"room-a","failures":0}'],
    [
      "every field",
      { room: "room-a", ...all },
      '{"room":"room-a","queuedBy":"gateway","claimId":"claim-1","reason":"test","operator":"id"}',
    ],
    // An event about a conference with such a name does not name another room.
    ["a name in JSON", { room: '{"room":"anna"}' }, '{"room":"{\\"room\\":\\"anna\\"}"}'],
  ])("with %s is written as queues have it, and read again", (_, message, text) => {
    expect(encodeRoomMessage(message)).toBe(text);
    expect(decodeRoomMessage(text)).toEqual(message);
  });

  test.each<[string, RoomMessage]>([
    // A later release may write other values and fields.
    ['{"room":"a","queuedBy":"someone","claimId":"claim-1"}', { room: "a" }],
    ['{"room":"a","queuedBy":{"release":3}}', { room: "a" }],
    ['{"room":"a","refusals":-1}', { room: "a" }],
    ['{"room":"a","failures":"many"}', { room: "a" }],
    ['{"room":"a","queuedBy":"gateway","colour":"red"}', { room: "a", queuedBy: "gateway" }],
    // A text that is not the gateway's JSON is a plain name.
    ['{"room":1}', { room: '{"room":1}' }],
    ["{not json", { room: "{not json" }],
    [' {"room":"a"}', { room: ' {"room":"a"}' }],
    ['{"queuedBy":"gateway"}', { room: '{"queuedBy":"gateway"}' }],
  ])("is read from the text `%s`", (text, message) => {
    expect(decodeRoomMessage(text)).toEqual(message);
  });
});
