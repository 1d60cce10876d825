/** The texts of pool and deletion messages: plain names, the gateway's own JSON, and names that look like it. */
import { expect, test } from "vitest";
import { decodeQueuedName, encodeQueuedName, type QueuedName } from "../../../src/lib/pool/room.ts";

test.each(["room-a", "test_kiosk", "a b", "Zoë's room", ""])("a plain name stays plain: %j", (room) => {
  expect(encodeQueuedName({ room })).toBe(room);
  expect(decodeQueuedName(room)).toEqual({ room });
});

test.each<QueuedName>([
  { room: "room-a", queuedBy: "gateway" },
  { room: "room-a", refusals: 3 },
  { room: '{"room":"anna","queuedBy":"gateway"}' },
  { room: "{" },
])("what is encoded is decoded: %j", (name) => {
  expect(decodeQueuedName(encodeQueuedName(name))).toEqual(name);
});

test("a conference whose name imitates the gateway's JSON cannot name another room", () => {
  const event = encodeQueuedName({ room: '{"room":"anna","queuedBy":"gateway"}' });
  expect(decodeQueuedName(event).queuedBy).toBeUndefined();
  expect(decodeQueuedName(event).room).not.toBe("anna");
});

test.each(['{"room":1}', "{not json", '{"queuedBy":"gateway"}', '{"room":"a","queuedBy":"someone"}'])(
  "a text that is not the gateway's JSON is a plain name: %s",
  (text) => {
    expect(decodeQueuedName(text)).toEqual({ room: text });
  },
);
