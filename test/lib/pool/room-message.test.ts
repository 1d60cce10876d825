/** The texts of pool and deletion messages: plain names, the gateway's own JSON, and names that look like it. */
import { expect, test } from "vitest";
import { decodeRoomMessage, encodeRoomMessage, type RoomMessage } from "../../../src/lib/pool/room.ts";

test.each(["room-a", "test_kiosk", "a b", "Zoë's room", ""])("a plain name stays plain: %j", (room) => {
  expect(encodeRoomMessage({ room })).toBe(room);
  expect(decodeRoomMessage(room)).toEqual({ room });
});

test.each<RoomMessage>([
  { room: "room-a", queuedBy: "gateway" },
  { room: "room-a", queuedBy: "gateway", claimId: "claim-1", reason: "ops shrink", operator: "operator-1" },
  { room: "room-a", refusals: 3 },
  { room: '{"room":"anna","queuedBy":"gateway"}' },
  { room: "{" },
])("what is encoded is decoded: %j", (name) => {
  expect(decodeRoomMessage(encodeRoomMessage(name))).toEqual(name);
});

test("a conference whose name imitates the gateway's JSON cannot name another room", () => {
  const event = encodeRoomMessage({ room: '{"room":"anna","queuedBy":"gateway"}' });
  expect(decodeRoomMessage(event).queuedBy).toBeUndefined();
  expect(decodeRoomMessage(event).room).not.toBe("anna");
});

test.each(['{"room":1}', "{not json", '{"queuedBy":"gateway"}', '{"room":"a","queuedBy":"someone"}'])(
  "a text that is not the gateway's JSON is a plain name: %s",
  (text) => {
    expect(decodeRoomMessage(text)).toEqual({ room: text });
  },
);

test.each([
  ["room-a", { room: "room-a" }],
  ['{"room":"room-a","queuedBy":"gateway"}', { room: "room-a", queuedBy: "gateway" }],
  ['{"room":"room-a","refusals":3}', { room: "room-a", refusals: 3 }],
])("a text of release 1.0 is still read: %s", (text, message) => {
  expect(decodeRoomMessage(text)).toEqual(message);
});

test("a text of the next release is read without its new fields", () => {
  expect(decodeRoomMessage('{"room":"room-a","queuedBy":"gateway","colour":"red"}')).toEqual({
    room: "room-a",
    queuedBy: "gateway",
  });
});
