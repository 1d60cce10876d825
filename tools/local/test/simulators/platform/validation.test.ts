/** What the platform refuses, and the two shapes of its 400 bodies. */
import { describe, expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../../../test/support/management-client.ts";
import { usePlatform } from "../../../../../test/support/use-platform.ts";

const platform = usePlatform();
const call = managementClient(platform);

const nameTaken = { conference: { name: ["Virtual Meeting Room with this Name already exists."] } };

test.each(["pool-017", "POOL-017"])(
  "A second room named %s returns 400, nested under the resource",
  async (name) => {
    platform.seedRooms({ rows: [{ name: "pool-017" }] });
    const refused = await call("POST", conferencePath, { name });

    expect([refused.status, refused.json]).toEqual([400, nameTaken]);
    expect(platform.roomCount()).toBe(1);
  },
);

test("Renaming to a taken name returns 400; keeping the name does not", async () => {
  const [id] = platform.seedRooms({ rows: [{ name: "a" }, { name: "b" }] });

  expect((await call("PATCH", `${conferencePath}${id}/`, { name: "b" })).json).toEqual(nameTaken);
  expect((await call("PATCH", `${conferencePath}${id}/`, { name: "a" })).status).toBe(202);
});

test("Renaming a room frees its old name", async () => {
  const [id] = platform.seedRooms({ rows: [{ name: "a" }] });
  await call("PATCH", `${conferencePath}${id}/`, { name: "b" });

  expect((await call("GET", `${conferencePath}?name=a`)).json.objects).toEqual([]);
  expect((await call("GET", `${conferencePath}?name=b`)).json.objects).toMatchObject([{ id }]);
  expect((await call("POST", conferencePath, { name: "a" })).status).toBe(201);
});

test.each([
  ["missing name", {}, { name: ["This field is required."] }],
  [
    "long tag",
    { name: "a", tag: "x".repeat(251) },
    { tag: ["Ensure this value has at most 250 characters (it has 251)."] },
  ],
  [
    "unknown choice",
    { name: "a", service_type: "party" },
    { service_type: ["Select a valid choice. party is not one of the available choices."] },
  ],
  [
    "number out of range",
    { name: "a", max_callrate_in: 64 },
    { max_callrate_in: ["Ensure this value is greater than or equal to 128."] },
  ],
])("%s is refused", async (_, body, errors) => {
  const refused = await call("POST", conferencePath, body);

  expect([refused.status, refused.json]).toEqual([400, { conference: errors }]);
});

describe("PIN rules", () => {
  test.each([
    ["guests without host PIN", { allow_guests: true }],
    ["guest PIN without guests", { pin: "123456", guest_pin: "654321" }],
    ["equal PINs", { pin: "123456", guest_pin: "123456", allow_guests: true }],
    ["unequal lengths", { pin: "123456", guest_pin: "7654321", allow_guests: true }],
    ["only one ends in #", { pin: "12345678#", guest_pin: "765432", allow_guests: true }],
    ["too short", { pin: "12345" }],
    ["too long", { pin: "1".repeat(21) }],
    ["letters", { pin: "12345a" }],
  ])("%s: 400", async (_, pins) => {
    expect((await call("POST", conferencePath, { name: "a", ...pins })).status).toBe(400);
  });

  test.each([
    ["no PIN", {}],
    ["host PIN only", { pin: "123456", allow_guests: true }],
    ["both, same length", { pin: "123456", guest_pin: "654321", allow_guests: true }],
    ["both end in #", { pin: "123456#", guest_pin: "765432100#", allow_guests: true }],
    ["longest", { pin: `${"1".repeat(19)}#` }],
  ])("%s: 201", async (_, pins) => {
    expect((await call("POST", conferencePath, { name: "a", ...pins })).status).toBe(201);
  });

  test("A raised minimum PIN length makes an unrelated PATCH fail", async () => {
    const [id] = platform.seedRooms({ rows: [{ name: "a", pin: "123456" }] });
    platform.setBehaviour({ minPinLength: 8 });

    const refused = await call("PATCH", `${conferencePath}${id}/`, { tag: "t" });
    expect([refused.status, refused.json]).toEqual([400, { conference: { pin: [expect.any(String)] } }]);
  });
});

test("A full licence refuses rooms with the platform's text but accepts other services", async () => {
  platform.setBehaviour({ roomLimit: 1 });
  await call("POST", conferencePath, { name: "a" });
  const refused = await call("POST", conferencePath, { name: "b" });

  expect(refused.status).toBe(400);
  expect(refused.json).toEqual({
    conference: { __all__: [expect.stringContaining("maximum number of Virtual Meeting Rooms (1)")] },
  });
  expect((await call("POST", conferencePath, { name: "t", service_type: "test_call" })).status).toBe(201);
});

test.each([
  ["not JSON", "{"],
  ["not an object", "[]"],
  ["a theme that is no reference", { name: "a", ivr_theme: "nonsense" }],
  ["a theme that does not exist", { name: "a", ivr_theme: "/api/admin/configuration/v1/ivr_theme/9/" }],
  ["a written id", { name: "a", id: 7 }],
])("%s returns 400 with a single text", async (_, body) => {
  const refused = await call("POST", conferencePath, body);

  expect(refused.status).toBe(400);
  expect(Object.keys(refused.json)).toEqual(["error"]);
});

describe("Aliases", () => {
  const taken = { conference_alias: { alias: ["Alias with this Alias already exists."] } };

  test.each([
    ["a taken alias", [{ alias: "free" }, { alias: "TAKEN" }], taken],
    ["an alias twice", [{ alias: "free" }, { alias: "FREE" }], taken],
    ["an alias that is too long", [{ alias: "x".repeat(251) }], expect.anything()],
    ["a path instead of an alias", ["/api/admin/configuration/v1/conference_alias/1/"], expect.anything()],
  ])("refuse the whole create with %s", async (_, aliases, body) => {
    platform.seedRooms({ rows: [{ name: "owner", aliases: [{ alias: "taken" }] }] });
    const refused = await call("POST", conferencePath, { name: "new", aliases });

    expect([refused.status, refused.json]).toEqual([400, body]);
    expect(platform.roomCount()).toBe(1);
  });

  test("are refused in an update", async () => {
    platform.seedRooms({ rows: [{ name: "a", aliases: [{ alias: "a" }] }] });
    expect((await call("PATCH", `${conferencePath}1/`, { aliases: [{ alias: "b" }] })).status).toBe(400);
    expect(platform.rooms()).toMatchObject([{ aliases: [{ alias: "a" }] }]);
  });
});
