/** Updates of a room: accepted, ignored and rejected fields and values. */
import { beforeEach, describe, expect, test } from "vitest";
import { validate } from "../../../src/lib/http/validation.ts";
import {
  type ConferenceRow,
  type Conferences,
  createConferences,
} from "../../../src/lib/platform/conferences.ts";
import { Conference } from "../../../src/lib/rooms/schemas.ts";
import { changeRoom, toUpdateFields } from "../../../src/lib/rooms/update.ts";
import { formatMarker } from "../../support/markers.ts";
import { createRecordingLog, type RecordingLog } from "../../support/recording-log.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";

const marker = formatMarker({ state: "assigned", since: "2026-01-15T09:00:00.000Z", messageId: "m-1" });
const uri = (path: string) => `/api/admin/configuration/v1/${path}/1/`;

const platform = usePlatform();
let conferences: Conferences;
beforeEach(() => {
  log = createRecordingLog();
  conferences = createConferences(newPlatformClient(platform.url));
  platform.seedRooms({
    rows: [
      {
        name: "room-a",
        description: `by hand\n${marker}`,
        pin: "482913",
        allow_guests: true,
        guest_pin: "771204",
        ivr_theme: uri("ivr_theme"),
        system_location: uri("system_location"),
        automatic_participants: [uri("automatic_participant")],
        aliases: [{ alias: "room-a" }, { alias: "second" }],
      },
    ],
  });
});

let log: RecordingLog;
const changeOf = async (name: string, body: Conference, through: Conferences = conferences) =>
  changeRoom(through, name, body, log);
const change = async (body: unknown) => changeOf("room-a", validate(Conference, body, "body"));
const patches = () => platform.requests().byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"] ?? 0;
async function room(): Promise<ConferenceRow> {
  const found = await conferences.findByName("room-a");
  if (!found) throw new Error("the room is gone");
  return found;
}

test("the platform stores the given fields, including fields that the specification does not list", async () => {
  const fields = { participant_limit: "12", host_view: null, guests_can_see_guests: "always" };
  await change(fields);
  expect(await room()).toMatchObject({ ...fields, participant_limit: 12 });
});

test("an update is logged with the room, but without the values, if it takes place", async () => {
  await change({ tag: "https://verify.example.com/canary" });
  expect(log.lines).toEqual([{ level: "info", event: "room-updated", fields: { room: "room-a" } }]);
  await change({ id: 5 });
  await expect(changeOf("other", { tag: "x" })).rejects.toMatchObject({ code: "room-not-found" });
  platform.addFault({ kind: "status", status: 404, method: "PATCH" });
  await expect(change({ call_type: "audio" })).rejects.toMatchObject({ code: "room-not-found" });
  expect(log.lines).toHaveLength(1);
});

describe("relations", () => {
  test.each([
    [{ ivr_theme: uri("ivr_theme") }],
    [{ ivr_theme: [uri("ivr_theme")] }],
    [{ ivr_theme: [{ resource_uri: uri("ivr_theme") }] }],
  ])("a URI is accepted wherever an object with that URI is: %j", async (body) => {
    await change({ ivr_theme: null });
    await change(body);
    expect(await room()).toMatchObject({ ivr_theme: { id: 1 } });
  });

  test.each(["aliases", "automatic_participants"])(
    "more than 1,000 entries of %s are one fault, and the entries are not checked",
    (field) => {
      const validateList = (length: number) =>
        validate(Conference, { [field]: Array(length).fill(0) }, "body");
      const msg = "Value error, a list must have at most 1000 entries";
      const tooMany = [{ type: "value_error", loc: ["body", field], msg, ctx: { error: {} } }];
      expect(() => validateList(1001)).toThrow(expect.objectContaining({ details: { faults: tooMany } }));
      const entries = expect.objectContaining({
        details: { faults: expect.objectContaining({ length: 1000 }) },
      });
      expect(() => validateList(1000)).toThrow(entries);
    },
  );
});

describe("a field that neither the specification nor the platform knows", () => {
  test.each(["Participant_Limit", "tagg", "constructor"])("results in 422: %s", async (field) => {
    const faults = [{ type: "extra_forbidden", loc: ["body", field], msg: "Extra inputs are not permitted" }];
    const refusal = { code: "invalid-request", status: 422, details: { faults } };
    await expect(change({ call_type: "audio", [field]: "482913" })).rejects.toMatchObject(refusal);
    expect(patches()).toBe(0);
  });

  test("is accepted as soon as the platform returns it", async () => {
    const row = { ...(await room()), new_in_version_40: "a" };
    await changeOf("room-a", { new_in_version_40: "b" }, { ...conferences, findByName: async () => row });
    expect(patches()).toBe(1);
  });
});

describe("a value that the platform rejects", () => {
  const rejected = (loc: string[]) => {
    const msg = "Value error, the conferencing platform rejected this value";
    const faults = [{ type: "value_error", loc, msg, ctx: { error: {} } }];
    return { code: "invalid-request", status: 422, details: { faults } };
  };
  const rejectNext = (body?: unknown) =>
    platform.addFault({ kind: "status", status: 400, body, method: "PATCH" });

  test("results in 422 at its field, with a fixed text and the platform's failure as its cause", async () => {
    const cause = { name: "PlatformError", platformStatus: 400 };
    const refusal = { ...rejected(["body", "call_type"]), cause };
    await expect(change({ call_type: "smoke" })).rejects.toMatchObject(refusal);
  });

  test("results in 422 at the body if it conflicts with another field", async () => {
    await expect(change({ guest_pin: "482913" })).rejects.toMatchObject(rejected(["body"]));
  });

  test("results in one 422 fault at its field, whatever else the platform reports", async () => {
    const conference = { pin: ["short"], __all__: ["short"], "the PIN 482913 is taken": ["x"] };
    rejectNext({ conference, conference_alias: { pin: ["short"] } });
    await expect(change({ pin: "12" })).rejects.toMatchObject(rejected(["body", "pin"]));
  });

  test.each<[string, unknown]>([
    ["a page of a proxy", "<html>Bad Request</html>"],
    ["fields without a usable name", { conference: { "the PIN 482913 is taken": ["x"] } }],
  ])("is 502 if the 400 names no field: %s", async (_, body) => {
    rejectNext(body);
    const error = { code: "platform-rejected", status: 502, platformStatus: 400 };
    await expect(change({ call_type: "audio" })).rejects.toMatchObject(error);
  });
});

describe("The fields of an update", () => {
  const forged = formatMarker({ state: "pooled", since: "2020-01-01T00:00:00.000Z" });
  const room: ConferenceRow = {
    id: 7,
    name: "room-a",
    description: `by hand\n${marker}`,
    aliases: [{ alias: "room-a" }, { alias: "second" }],
  };

  const refusal = (...faults: object[]) =>
    expect.objectContaining({ code: "invalid-request", status: 422, details: { faults } });
  const refused = (loc: unknown[], reason: string) =>
    refusal({ type: "value_error", loc, msg: `Value error, ${reason}`, ctx: { error: {} } });

  test("read-only fields are ignored", () => {
    const ids = { id: 99, resource_uri: "/x/" };
    const facts = { creation_time: "2026-01-01", scheduled_conferences_count: 5 };
    expect(toUpdateFields({ ...ids, ...facts }, room)).toEqual({});
  });

  test("null is sent as null for fields and relations", () => {
    const change = { automatic_participants: null, ivr_theme: null, host_view: null };
    expect(toUpdateFields(change, room)).toEqual(change);
  });

  test("a list that is no relation is sent unchanged", () => {
    const change = { new_in_version_40: [5, { id: 1 }] };
    expect(toUpdateFields(change, { ...room, new_in_version_40: [] })).toEqual(change);
  });

  describe("name and aliases", () => {
    test.each([
      { name: "room-a" },
      { name: null },
      { aliases: null },
      { aliases: [{ alias: "second" }, { alias: "room-a", id: 77, description: "" }] },
    ])("%j changes nothing and is accepted", (change) => {
      expect(toUpdateFields(change, room)).toStrictEqual({});
    });

    test.each([
      ["name", { name: "room-b" }],
      ["aliases", { aliases: [] }],
      ["aliases", { aliases: [{ alias: "room-asecond" }] }],
      ["aliases", { aliases: [{ alias: "room-a" }, { alias: null }] }],
    ])("rejects a change of %s to %j with 422", (field, change) => {
      expect(() => toUpdateFields({ ...change, call_type: "audio" }, room)).toThrow(
        refused(["body", field], `${field} cannot be changed`),
      );
    });
  });

  describe("description", () => {
    test("cannot be changed while the room is in the pool, where a claim may write its marker", () => {
      const pooled = { ...room, description: `by hand\n${forged}` };
      expect(() => toUpdateFields({ description: "a text" }, pooled)).toThrow(
        refused(["body", "description"], "the description of a room in the pool cannot be changed"),
      );
      const change = { description: "by hand", guest_pin: "1" };
      expect(toUpdateFields(change, pooled)).toEqual({ guest_pin: "1" });
    });

    test.each([
      ["new text", `new text\n${marker}`],
      [null, marker],
      ["", marker],
    ])("%j keeps the marker of the room", (description, sent) => {
      expect(toUpdateFields({ description }, room)).toEqual({ description: sent });
    });

    test.each([
      ["replaced with the marker of the room", `a text\n${forged}`, room, `a text\n${marker}`],
      ["replaced even without any text", forged, room, marker],
      ["removed if the room has none", `a text\n${forged}`, { ...room, description: "by hand" }, "a text"],
    ])("a marker from the caller is %s", (_, description, row, sent) => {
      expect(toUpdateFields({ description }, row)).toEqual({ description: sent });
    });

    test("the present text is not sent", () => {
      const change = { description: "by hand", call_type: "audio" };
      expect(toUpdateFields(change, room)).toEqual({ call_type: "audio" });
    });

    test("another gateway's marker stays as it is, and 135 characters of text fit even with the longest name", () => {
      const theirs = formatMarker({
        gateway: "x".repeat(20),
        state: "assigned",
        since: "2026-01-15T09:00:00.000Z",
        messageId: "0a1b2c3d-1111-4222-8333-444455556666",
        fingerprint: "1f6ca54f",
      });
      const description = "x".repeat(135);
      const sent = `${description}\n${theirs}`;
      expect(sent).toHaveLength(250);
      expect(toUpdateFields({ description }, { ...room, description: theirs })).toEqual({
        description: sent,
      });
    });

    test("rejects a text that leaves no space for the marker with 422, which has the maximum length", () => {
      const maxCharacters = 250 - marker.length - 1;
      expect(() => toUpdateFields({ description: "x".repeat(maxCharacters + 1) }, room)).toThrow(
        refusal({
          type: "string_too_long",
          loc: ["body", "description"],
          msg: `String should have at most ${maxCharacters} characters`,
          ctx: { max_length: maxCharacters },
        }),
      );
      const description = "x".repeat(maxCharacters);
      expect(toUpdateFields({ description }, room)).toEqual({ description: `${description}\n${marker}` });
    });
  });

  describe("relations", () => {
    test("a list may mix URIs and objects", () => {
      const path = (id: number) => `/api/admin/configuration/v1/automatic_participant/${id}/`;
      const change = Conference.parse({ automatic_participants: [path(1), { id: 2 }, path(3)] });
      expect(toUpdateFields(change, room)).toEqual({ automatic_participants: [path(1), path(2), path(3)] });
    });

    test.each([
      ["an object without URI or id", { ivr_theme: [{ name: "x" }] }, ["body", "ivr_theme", 0]],
      ["an empty string", { ivr_theme: "" }, ["body", "ivr_theme", 0]],
      [
        "a URI with the platform's address",
        { ivr_theme: [`https://a${uri("ivr_theme")}`] },
        ["body", "ivr_theme", 0],
      ],
      ["another resource's URI", { ivr_theme: [{ resource_uri: "/x/", id: 1 }] }, ["body", "ivr_theme", 0]],
      [
        "a string as id",
        { automatic_participants: [{ id: 1 }, { id: "1" }] },
        ["body", "automatic_participants", 1],
      ],
    ])("rejects %s with 422", (_, change, loc) => {
      expect(() => toUpdateFields(Conference.parse(change), room)).toThrow(
        refused(loc, "the object must contain the resource_uri or id from a GET response"),
      );
    });

    test("rejects two objects in a field that holds one with 422", () => {
      expect(() => toUpdateFields({ ivr_theme: [{ id: 1 }, { id: 1 }] }, room)).toThrow(
        refused(["body", "ivr_theme"], "at most one object is allowed"),
      );
    });
  });

  test("every fault is reported, in the order of the fields", () => {
    const places = ["aliases", "ivr_theme", "name"].map((field) => ({
      loc: expect.arrayContaining(["body", field]),
    }));
    const faults = places.map((place) => expect.objectContaining(place));
    expect(() => toUpdateFields({ aliases: [], ivr_theme: [{}], name: "x" }, room)).toThrow(
      expect.objectContaining({ details: { faults } }),
    );
  });
});
