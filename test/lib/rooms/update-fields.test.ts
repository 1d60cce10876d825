/** The platform fields of a PATCH body: what is sent, what is ignored, and what cannot be changed. */
import { describe, expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conference-row.ts";
import { formatMarker } from "../../../src/lib/pool/room.ts";
import { Conference } from "../../../src/lib/rooms/conference-schema.ts";
import { toUpdateFields } from "../../../src/lib/rooms/update-fields.ts";

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
  ])("a change of %s to %j is 422", (field, change) => {
    expect(() => toUpdateFields({ ...change, call_type: "audio" }, room)).toThrow(
      refused(["body", field], `${field} cannot be changed`),
    );
  });
});

describe("description", () => {
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

  test("a marker from the caller without any text is removed", () => {
    expect(toUpdateFields({ description: forged }, room)).toEqual({ description: marker });
  });

  test("a text that leaves no space for the marker is 422 with the maximum length", () => {
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
  ])("%s is 422", (_, change, loc) => {
    expect(() => toUpdateFields(change, room)).toThrow(
      refused(loc, "the object must contain the resource_uri or id from a GET response"),
    );
  });

  test("two objects in a field that holds one are 422", () => {
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
