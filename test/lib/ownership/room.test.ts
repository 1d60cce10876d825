/** A room's marker, its owner, and the text of messages about it. */
import fc from "fast-check";
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
  const assigned: Marker = {
    gateway,
    state: "assigned",
    since: "2026-01-15T09:05:00.000Z",
    messageId: "m-1",
  };

  const made: Marker = { ...pooled, fingerprint: "0f1e2d3c" };

  const times = fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((date) => date.toISOString());
  const fingerprint = fc.option(fc.stringMatching(/^[0-9a-f]{8}$/), { nil: undefined });
  const names = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/);
  const common = fc.record({ gateway: names, since: times, fingerprint });
  const markers: fc.Arbitrary<Marker> = fc.oneof(
    common.map((fields) => ({ ...fields, state: "pooled" as const })),
    fc
      .tuple(common, fc.uuid())
      .map(([fields, messageId]) => ({ ...fields, state: "assigned" as const, messageId })),
  );
  const descriptions = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.array(fc.string(), { maxLength: 8 }).map((lines) => lines.join("\n")),
  );

  test("formatMarker returns the fixed format that operators search for", () => {
    expect(formatMarker(pooled)).toBe("vmr-gateway production pooled 2026-01-15T09:00:00.000Z");
    expect(formatMarker(assigned)).toBe("vmr-gateway production assigned 2026-01-15T09:05:00.000Z m-1");
    expect(formatMarker(made)).toBe("vmr-gateway production pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c");
    expect(formatMarker({ ...assigned, fingerprint: "0f1e2d3c" })).toBe(
      "vmr-gateway production assigned 2026-01-15T09:05:00.000Z m-1 f:0f1e2d3c",
    );
  });

  test("parseMarker finds what withMarker wrote into any description, within 250 characters", () => {
    fc.assert(
      fc.property(descriptions, markers, markers, (description, before, after) => {
        const marked = withMarker(withMarker(description, before), after);
        expect(marked.length).toBeLessThanOrEqual(250);
        const kept = before.fingerprint ?? after.fingerprint;
        expect(parseMarker(marked)).toEqual({ messageId: undefined, ...after, fingerprint: kept });
      }),
    );
  });

  test.each([
    ["pooled 2026-01-15T09:00:00.000Z", { messageId: undefined, fingerprint: undefined }],
    ["assigned 2026-01-15T09:00:00.000Z m-1", { messageId: "m-1", fingerprint: undefined }],
    ["pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c", { messageId: undefined, fingerprint: "0f1e2d3c" }],
    ["assigned 2026-01-15T09:00:00.000Z f:0f1e2d3c", { messageId: undefined, fingerprint: "0f1e2d3c" }],
    ["assigned 2026-01-15T09:00:00.000Z m-1 f:0f1e2d3c", { messageId: "m-1", fingerprint: "0f1e2d3c" }],
    ["assigned 2026-01-15T09:00:00.000Z f:no", { messageId: "f:no", fingerprint: undefined }],
  ])("parseMarker reads message ID and fingerprint of %s", (line, expected) => {
    expect(parseMarker(`vmr-gateway production ${line}`)).toMatchObject({
      gateway,
      since: "2026-01-15T09:00:00.000Z",
      ...expected,
    });
  });

  test("withoutMarker restores a description that fits", () => {
    const short = fc.string({ maxLength: 135 }).filter((text) => parseMarker(text) === undefined);
    fc.assert(
      fc.property(short, markers, (description, marker) => {
        expect(withoutMarker(withMarker(description, marker))).toBe(description);
      }),
    );
  });

  test.each([null, undefined, ""])(
    "withMarker returns the marker line only if the description is missing (%j)",
    (description) => {
      expect(withMarker(description, pooled)).toBe(formatMarker(pooled));
      expect(parseMarker(description)).toBeUndefined();
    },
  );

  test("withMarker drops a surrogate pair of which only half fits", () => {
    for (const text of ["😀".repeat(125), `a${"😀".repeat(124)}`]) {
      expect(withMarker(text, pooled).isWellFormed()).toBe(true);
      expect(withMarker(text, assigned).isWellFormed()).toBe(true);
    }
  });

  test("withMarker cuts text that does not fit, and keeps the marker complete", () => {
    const marked = withMarker("x".repeat(250), assigned);
    expect(marked).toHaveLength(250);
    expect(marked.endsWith(`x\n${formatMarker(assigned)}`)).toBe(true);
  });

  test.each([
    ["first", `${formatMarker(pooled)}\nmade by hand`, pooled],
    ["between others", `one\n${formatMarker(pooled)}\ntwo`, pooled],
    ["with carriage returns", `one\r\n${formatMarker(pooled)}\r\ntwo`, pooled],
    ["with trailing spaces", `${formatMarker(assigned)}  `, assigned],
  ])("parseMarker finds a marker line %s", (_, description, marker) => {
    expect(parseMarker(description)).toEqual({ messageId: undefined, ...marker });
  });

  test("withoutMarker removes all marker lines and keeps the others", () => {
    expect(withoutMarker(`one\n${formatMarker(pooled)}\ntwo\n${formatMarker(assigned)}`)).toBe("one\ntwo");
    expect(withoutMarker(`one\r\n${formatMarker(pooled)}\r\ntwo`)).toBe("one\ntwo");
  });

  test("parseMarker returns the last of two markers", () => {
    expect(parseMarker(`${formatMarker(pooled)}\n${formatMarker(assigned)}`)).toEqual(assigned);
  });

  test.each([
    "one\r\ntwo",
    "vmr-gateway",
    "vmr-gateway production pooled",
    "vmr-gateway pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c",
    "vmr-gateway production reserved 2026-01-15T09:00:00.000Z",
    "vmr-gateway  pooled 2026-01-15T09:00:00.000Z",
    "vmr-gateway production pooled  m-1",
    "VMR-GATEWAY production pooled 2026-01-15T09:00:00.000Z",
    "x vmr-gateway production pooled 2026-01-15T09:00:00.000Z",
    "vmr-gateway production pooled 2026-01-15T09:00:00.000Z m-1 and more",
    "vmr-gateway production pooled 2026-01-15T09:00:00.000Z m-1 f:0f1e2d3c4",
    "vmr-gateway production pooled 2026-01-15T09:00:00.000Z f:0f1e2d3c m-1",
  ])("%s is not a marker, so withoutMarker keeps it", (description) => {
    expect(parseMarker(description)).toBeUndefined();
    expect(withoutMarker(description)).toBe(description);
  });
});

describe("Ownership", () => {
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

  const marked = {
    description: formatMarker({ gateway: "any", state: "pooled", since: "2026-01-01T00:00:00.000Z" }),
  };
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

  test("isForeign returns true for a room without a marker if such rooms are kept, and false with a marker", () => {
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
});

describe("Messages", () => {
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

  test.each([
    '{"room":"a","queuedBy":"someone","claimId":"claim-1"}',
    '{"room":"a","queuedBy":{"release":3}}',
    '{"room":"a","refusals":-1}',
    '{"room":"a","failures":"many"}',
  ])("a message with a value of a later release still names its room: %s", (text) => {
    expect(decodeRoomMessage(text)).toEqual({ room: "a" });
  });

  test.each(['{"room":1}', "{not json", '{"queuedBy":"gateway"}'])(
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
});
