/** Updates of a room: accepted, ignored and rejected fields and values. */
import { beforeEach, describe, expect, test } from "vitest";
import { validate } from "../../../src/lib/http/validation.ts";
import {
  type ConferenceRow,
  type Conferences,
  createConferences,
} from "../../../src/lib/platform/conferences.ts";
import { PlatformError } from "../../../src/lib/platform/errors.ts";
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

test("an update is logged with the room and without the values, and only if it takes place", async () => {
  await change({ tag: "https://verify.example.com/canary" });
  expect(log.lines).toEqual([{ level: "info", event: "room-updated", fields: { room: "room-a" } }]);
  await change({ id: 5 });
  await expect(changeOf("other", { tag: "x" })).rejects.toMatchObject({ code: "room-not-found" });
  platform.addFault({ kind: "status", status: 404, method: "PATCH" });
  await expect(change({ call_type: "audio" })).rejects.toMatchObject({ code: "room-not-found" });
  expect(log.lines).toHaveLength(1);
});

test("rejects a field that cannot be changed with 422, without a call to the platform", async () => {
  const result = change({ name: "room-b", call_type: "audio" });
  await expect(result).rejects.toMatchObject({ code: "invalid-request" });
  expect(patches()).toBe(0);
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

  test.each(["", "/x/", "1", "https://platform.example.com/api/admin/configuration/v1/ivr_theme/1/"])(
    "rejects a text that is not a URI of the platform with 422: %j",
    async (text) => {
      for (const value of [text, [text]]) {
        await expect(change({ ivr_theme: value })).rejects.toMatchObject({
          details: { faults: [{ type: "value_error", loc: ["body", "ivr_theme", 0] }] },
        });
      }
      expect(patches()).toBe(0);
    },
  );
});

describe("a field that neither the specification nor the platform knows", () => {
  test.each(["Participant_Limit", "tagg", "constructor"])("is 422: %s", async (field) => {
    const msg = "Extra inputs are not permitted";
    const result = change({ call_type: "audio", [field]: "482913" });
    const faults = [{ type: "extra_forbidden", loc: ["body", field], msg }];
    await expect(result).rejects.toEqual(
      expect.objectContaining({ code: "invalid-request", status: 422, details: { faults } }),
    );
    expect(patches()).toBe(0);
  });

  test("is accepted as soon as the platform returns it", async () => {
    const row = { ...(await room()), new_in_version_40: "a" };
    const through = { ...conferences, findByName: async () => row };
    const change = { new_in_version_40: "b" };
    await changeOf("room-a", change, through);
    expect(patches()).toBe(1);
  });
});

describe("a value that the platform rejects", () => {
  const rejected = (loc: string[]) => {
    const msg = "Value error, the conferencing platform rejected this value";
    const faults = [{ type: "value_error", loc, msg, ctx: { error: {} } }];
    return { code: "invalid-request", status: 422, details: { faults } };
  };

  test("is 422 at its field with a fixed text", async () => {
    await expect(change({ call_type: "smoke" })).rejects.toMatchObject(rejected(["body", "call_type"]));
  });

  test("is 422 at the body if it conflicts with another field", async () => {
    await expect(change({ guest_pin: "482913" })).rejects.toMatchObject(rejected(["body"]));
  });

  test("is 422 only at its field if the platform names the room as a whole, too", async () => {
    const body = { conference: { pin: ["short"], __all__: ["short"] }, conference_alias: { pin: ["short"] } };
    platform.addFault({ kind: "status", status: 400, body, method: "PATCH" });
    await expect(change({ pin: "12" })).rejects.toMatchObject(rejected(["body", "pin"]));
  });

  test("is 422 with the platform's failure as its cause", async () => {
    const cause = { name: "PlatformError", platformStatus: 400 };
    await expect(change({ call_type: "smoke" })).rejects.toMatchObject({ cause, details: { cause } });
  });

  test.each<[string, unknown]>([
    ["a page of a proxy", "<html>Bad Request</html>"],
    ["JSON of a proxy", { error: "secret words" }],
    ["fields without a usable name", { conference: { "the PIN 482913 is taken": ["x"] } }],
    ["nothing", undefined],
  ])("is 502 if the 400 names no field: %s", async (_, body) => {
    platform.addFault({ kind: "status", status: 400, body, method: "PATCH" });
    const error = { code: "platform-rejected", status: 502, platformStatus: 400 };
    await expect(change({ call_type: "audio" })).rejects.toMatchObject(error);
  });

  test.each([400, 401, 499])("is 503 if the OAuth token request is refused with %i", async (status) => {
    const refused = { outcome: "refused", message: "login", status, isLoginRefused: true } as const;
    const update = async () => Promise.reject(new PlatformError(refused));
    const error = { code: "platform-login-refused", status: 503 };
    await expect(changeOf("room-a", { tag: "x" }, { ...conferences, update })).rejects.toMatchObject(error);
  });

  test("is 422 only at keys that can be field names, so no other text of the platform is returned", async () => {
    const conference = { "the PIN 482913 is taken": ["x"], tag: ["x"], ["x".repeat(65)]: ["x"] };
    const failure = { outcome: "refused", message: "status 400", status: 400, body: { conference } } as const;
    const update = async () => Promise.reject(new PlatformError(failure));
    const result = changeOf("room-a", { tag: "x" }, { ...conferences, update });
    await expect(result).rejects.toMatchObject(rejected(["body", "tag"]));
  });
});

describe("The fields of an update", () => {
  const marker = formatMarker({ state: "assigned", since: "2026-01-15T09:00:00.000Z", messageId: "m-1" });
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

  describe("name and aliases", () => {
    test.each([
      { name: "room-a" },
      { name: null },
      { aliases: null },
      { aliases: [{ alias: "second" }, { alias: "room-a", id: 77, description: "" }] },
    ])("%j changes nothing and is accepted", (change) => {
      expect(toUpdateFields(change, room)).toEqual({});
    });

    test.each([
      ["name", { name: "room-b" }],
      ["name", { name: "" }],
      ["name", { name: "Room-A" }],
      ["aliases", { aliases: [] }],
      ["aliases", { aliases: [{ alias: "room-a" }] }],
      ["aliases", { aliases: [{ alias: "room-a" }, { alias: "second" }, { alias: "third" }] }],
      ["aliases", { aliases: [{ alias: "room-a" }, { alias: null }] }],
    ])("rejects a change of %s to %j with 422", (field, change) => {
      expect(() => toUpdateFields({ ...change, call_type: "audio" }, room)).toThrow(
        refused(["body", field], `${field} cannot be changed`),
      );
    });
  });

  describe("description", () => {
    test("cannot be changed while the room is in the pool, where a claim may write its marker", () => {
      const pooled = { ...room, description: "vmr-gateway vmr-gateway pooled 2026-01-02T03:04:05.678Z" };
      expect(() => toUpdateFields({ description: "a text" }, pooled)).toThrow(
        expect.objectContaining({
          code: "invalid-request",
          details: { faults: [expect.objectContaining({ loc: ["body", "description"] })] },
        }),
      );
      expect(toUpdateFields({ guest_pin: "1" }, pooled)).toEqual({ guest_pin: "1" });
    });

    test.each([
      ["new text", `new text\n${marker}`],
      [null, marker],
      ["", marker],
    ])("%j keeps the marker of the room", (description, sent) => {
      expect(toUpdateFields({ description }, room)).toEqual({ description: sent });
    });

    test.each([
      ["replaced with the marker of the room", room, `a text\n${marker}`],
      ["removed if the room has no marker", { ...room, description: "made by hand" }, "a text"],
    ])("a marker from the caller is %s", (_, row, sent) => {
      expect(toUpdateFields({ description: `a text\n${forged}` }, row)).toEqual({ description: sent });
    });

    test.each(["assigned", "pooled"] as const)(
      "the present text of a room that is %s is not sent",
      (state) => {
        const since = "2026-01-15T09:00:00.000Z";
        const own = formatMarker(state === "pooled" ? { state, since } : { state, since, messageId: "m-1" });
        const row = { ...room, description: `by hand\n${own}` };
        expect(toUpdateFields({ description: "by hand", call_type: "audio" }, row)).toEqual({
          call_type: "audio",
        });
      },
    );

    test("another gateway's marker stays as it is, and 135 characters of text fit even with the longest name", () => {
      const theirs = formatMarker({
        gateway: "x".repeat(20),
        state: "assigned",
        since: "2026-01-15T09:00:00.000Z",
        messageId: "0a1b2c3d-1111-4222-8333-444455556666",
        fingerprint: "1f6ca54f",
      });
      const description = "x".repeat(135);
      const sent = { description: `${description}\n${theirs}` };
      expect(toUpdateFields({ description }, { ...room, description: theirs })).toEqual(sent);
      expect(sent.description).toHaveLength(250);
    });

    test("a marker from the caller without any text is removed", () => {
      expect(toUpdateFields({ description: forged }, room)).toEqual({ description: marker });
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
      ["another resource's URI", { ivr_theme: [{ resource_uri: "/x/", id: 1 }] }, ["body", "ivr_theme", 0]],
      [
        "a string as id",
        { automatic_participants: [{ id: 1 }, { id: "1" }] },
        ["body", "automatic_participants", 1],
      ],
    ])("rejects %s with 422", (_, change, loc) => {
      expect(() => toUpdateFields(change, room)).toThrow(
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
    expect(() => toUpdateFields({ aliases: [], ivr_theme: [{}], name: "x" }, room)).toThrow(
      expect.objectContaining({
        details: {
          faults: [
            expect.objectContaining({ loc: ["body", "aliases"] }),
            expect.objectContaining({ loc: ["body", "ivr_theme", 0] }),
            expect.objectContaining({ loc: ["body", "name"] }),
          ],
        },
      }),
    );
  });
});
