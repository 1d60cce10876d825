/** PATCH of a room: what reaches the platform, what is dropped, and what is refused. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../../local/simulators/platform/platform-simulator.ts";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { toReadRoom } from "../../../src/lib/api/room-shapes.ts";
import { changeRoom } from "../../../src/lib/api/room-update.ts";
import { validate } from "../../../src/lib/http/validation.ts";
import { createPlatformClient } from "../../../src/lib/platform/client.ts";
import type { ConferenceRow } from "../../../src/lib/platform/conference-row.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";
import { formatMarker } from "../../../src/lib/rooms/marker.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const marker = formatMarker({ state: "assigned", since: "2026-01-15T09:00:00.000Z", messageId: "m-1" });
const uri = (path: string) => `/api/admin/configuration/v1/${path}/1/`;

let platform: PlatformSimulator;
let conferences: Conferences;
beforeEach(async () => {
  const account = { username: "api-user", password: "api-password" };
  platform = await startPlatformSimulator(account);
  const client = createPlatformClient({
    url: platform.url,
    timeoutSeconds: 20,
    maxConcurrency: 5,
    logIn: createBasicLogIn(account.username, account.password),
    clock: createManualClock(),
  });
  conferences = createConferences(client);
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
afterEach(async () => platform.stop());

const change = async (body: unknown) => changeRoom(conferences, "room-a", validate(Conference, body, "body"));
const patches = () => platform.requests().byRoute["PATCH /api/admin/configuration/v1/conference/{id}/"] ?? 0;
async function room(): Promise<ConferenceRow> {
  const found = await conferences.findByName("room-a");
  if (!found) throw new Error("the room is gone");
  return found;
}
const refusal = (...faults: object[]) => ({ code: "invalid-request", status: 422, details: { faults } });
const refused = (loc: unknown[], reason: string) =>
  refusal({ type: "value_error", loc, msg: `Value error, ${reason}`, ctx: { error: {} } });

test("fields reach the platform, also those that the specification does not list", async () => {
  expect(await change({ participant_limit: "12", host_view: null, guests_can_see_guests: "always" })).toBe(
    true,
  );
  expect(await room()).toMatchObject({
    participant_limit: 12,
    host_view: null,
    guests_can_see_guests: "always",
  });
});

test("a text reaches the platform as it is, spaces at its ends included", async () => {
  await change({ sync_tag: " a tag " });
  expect((await room())["sync_tag"]).toBe(" a tag ");
});

test("a room that does not exist is not found", async () => {
  expect(await changeRoom(conferences, "other", { tag: "x" })).toBe(false);
  expect(patches()).toBe(0);
});

test("a room that vanishes meanwhile is not found", async () => {
  platform.addFault({ kind: "status", status: 404, method: "PATCH" });
  expect(await changeRoom(conferences, "room-a", { call_type: "audio" })).toBe(false);
});

test("what a full GET gave changes nothing when it is sent back, and nothing of it is refused", async () => {
  const before = await room();
  const given: unknown = JSON.parse(
    JSON.stringify(toReadRoom(before, { constrained: false, showHostPin: true })),
  );

  expect(await change(given)).toBe(true);
  expect(await room()).toEqual(before);
});

test("read-only fields are dropped; with nothing left, the platform is not called", async () => {
  const readOnly = {
    id: 99,
    resource_uri: "/x/",
    creation_time: "2026-01-01",
    scheduled_conferences_count: 5,
  };
  expect(await change(readOnly)).toBe(true);
  expect(await change({})).toBe(true);
  expect(patches()).toBe(0);
});

describe("name and aliases", () => {
  test.each([
    { name: "room-a" },
    { name: null },
    { aliases: null },
    { aliases: [{ alias: "second" }, { alias: "room-a", id: 77, description: "" }] },
  ])("%j changes nothing and is accepted", async (body) => {
    expect(await change(body)).toBe(true);
    expect(patches()).toBe(0);
  });

  test.each([
    ["name", { name: "room-b" }],
    ["name", { name: "" }],
    ["name", { name: "Room-A" }],
    ["aliases", { aliases: [] }],
    ["aliases", { aliases: [{ alias: "room-a" }] }],
    ["aliases", { aliases: [{ alias: "room-a" }, { alias: "second" }, { alias: "third" }] }],
    ["aliases", { aliases: [{ alias: "room-a" }, { alias: null }] }],
  ])("a change of %s (%j) is 422, and nothing reaches the platform", async (field, body) => {
    await expect(change({ ...body, call_type: "audio" })).rejects.toMatchObject(
      refused(["body", field], `${field} cannot be changed`),
    );
    expect(patches()).toBe(0);
  });
});

describe("description", () => {
  test.each([
    ["text", "new text", `new text\n${marker}`],
    ["nothing", null, marker],
    ["an empty text", "", marker],
  ])("%s keeps the marker", async (_, description, stored) => {
    await change({ description });
    expect((await room()).description).toBe(stored);
  });

  test("a marker that a caller sends is left out, and ours still counts", async () => {
    const forged = formatMarker({ state: "pooled", since: "2020-01-01T00:00:00.000Z" });
    await change({ description: forged });
    expect((await room()).description?.endsWith(marker)).toBe(true);
  });

  test("text that leaves no space for the marker is 422 with the limit", async () => {
    const limit = 250 - marker.length - 1;
    await expect(change({ description: "x".repeat(limit + 1) })).rejects.toMatchObject(
      refusal({
        type: "string_too_long",
        loc: ["body", "description"],
        msg: `String should have at most ${limit} characters`,
        ctx: { max_length: limit },
      }),
    );
    expect(await change({ description: "x".repeat(limit) })).toBe(true);
  });
});

describe("relations", () => {
  test("null and an empty list take them away", async () => {
    await change({ ivr_theme: null, system_location: [], automatic_participants: [] });
    expect(await room()).toMatchObject({
      ivr_theme: null,
      system_location: null,
      automatic_participants: [],
    });
  });

  test("objects with a resource_uri or an id stand for their relation", async () => {
    await change({ ivr_theme: null, automatic_participants: [] });
    await change({ ivr_theme: [{ resource_uri: uri("ivr_theme") }], automatic_participants: [{ id: 1 }] });
    expect(await room()).toMatchObject({ ivr_theme: { id: 1 }, automatic_participants: [{ id: 1 }] });
  });

  test.each([
    ["an object without URI or id", { ivr_theme: [{ name: "x" }] }, ["body", "ivr_theme", 0]],
    ["a URI of another place", { ivr_theme: [{ resource_uri: "/x/", id: 1 }] }, ["body", "ivr_theme", 0]],
    [
      "an id that is text",
      { automatic_participants: [{ id: 1 }, { id: "1" }] },
      ["body", "automatic_participants", 1],
    ],
  ])("%s is 422", async (_, body, loc) => {
    await expect(change(body)).rejects.toMatchObject(
      refused(loc, "the object must contain the resource_uri or id from a GET response"),
    );
  });

  test("two objects where the platform has one are 422", async () => {
    await expect(change({ ivr_theme: [{ id: 1 }, { id: 1 }] })).rejects.toMatchObject(
      refused(["body", "ivr_theme"], "at most one object is allowed"),
    );
  });
});

test("all faults are told at once, in the order of the published fields", async () => {
  const error: unknown = await change({ name: "x", aliases: [], ivr_theme: [{}] }).catch(
    (cause: unknown) => cause,
  );
  expect(error).toMatchObject({
    details: {
      faults: [{ loc: ["body", "aliases"] }, { loc: ["body", "ivr_theme", 0] }, { loc: ["body", "name"] }],
    },
  });
});

describe("what the platform refuses", () => {
  const text = "the conferencing platform rejected this value";
  test("is 422 at its field with a fixed text", async () => {
    await expect(change({ call_type: "smoke signals" })).rejects.toMatchObject(
      refused(["body", "call_type"], text),
    );
  });

  test("across fields is 422 at the body", async () => {
    await expect(change({ guest_pin: "482913" })).rejects.toMatchObject(refused(["body"], text));
  });

  test("without a field is 422 at the body", async () => {
    platform.addFault({ kind: "status", status: 400, body: { error: "secret words" }, method: "PATCH" });
    await expect(change({ call_type: "audio" })).rejects.toMatchObject(refused(["body"], text));
  });

  test("for another reason stays the platform's failure", async () => {
    platform.addFault({ kind: "status", status: 403, method: "PATCH" });
    await expect(change({ call_type: "audio" })).rejects.toMatchObject({
      code: "platform-rejected",
      status: 502,
    });
  });
});
