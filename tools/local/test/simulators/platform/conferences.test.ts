/** Create, read, update and delete of conferences as the platform answers them. */
import { expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../../../test/support/management-client.ts";
import { usePlatform } from "../../../../../test/support/use-platform.ts";

const platform = usePlatform({
  now: () => Date.UTC(2026, 3, 1, 15, 58, 6, 714),
});
const call = managementClient(platform);

async function createRoom(body: Record<string, unknown>): Promise<string> {
  const created = await call("POST", conferencePath, body);
  expect(created.status).toBe(201);
  return created.headers.get("location") ?? "";
}

test("A create returns 201 with an empty body and the bare path in Location", async () => {
  const created = await call("POST", conferencePath, { name: "pool-017", aliases: [{ alias: "pool-017" }] });

  expect([created.status, created.text]).toEqual([201, ""]);
  expect(created.headers.get("location")).toBe(`${conferencePath}1/`);
});

test("Location is an absolute URL if the switch is set", async () => {
  platform.setBehaviour({ absoluteLocation: true });

  expect(await createRoom({ name: "pool-017" })).toBe(`${platform.url}${conferencePath}1/`);
});

test("A room is returned with defaults, embedded relations and PINs in plain text", async () => {
  const theme = "/api/admin/configuration/v1/ivr_theme/1/";
  const path = await createRoom({
    name: "pool-017",
    pin: "482913",
    guest_pin: "771204",
    allow_guests: true,
    ivr_theme: `https://platform.example.com${theme}`,
    automatic_participants: ["/api/admin/configuration/v1/automatic_participant/1/"],
    aliases: [{ alias: "pool-017", description: "d" }],
  });
  const { status, json } = await call("GET", path);

  expect(status).toBe(200);
  expect(json).toMatchObject({
    id: 1,
    resource_uri: path,
    creation_time: "2026-04-01T15:58:06.714000",
    pin: "482913",
    guest_pin: "771204",
    crypto_mode: "",
    enable_chat: "default",
    participant_limit: null,
    guests_can_present: true,
    ivr_theme: { id: 1, name: "Standard", resource_uri: theme },
  });
  expect(json["aliases"]).toEqual([
    {
      id: 1,
      alias: "pool-017",
      conference: path,
      description: "d",
      creation_time: "2026-04-01T15:58:06.714000",
    },
  ]);
  expect(json["automatic_participants"]).toMatchObject([{ id: 1, protocol: "sip" }]);
  expect(json).not.toHaveProperty("automatic_participants[0].resource_uri");
});

test("PATCH changes only the given fields and returns 202 with an empty body", async () => {
  const path = await createRoom({ name: "pool-017", tag: "before", description: "kept" });
  const patched = await call("PATCH", path, { tag: "after" });

  expect([patched.status, patched.text]).toEqual([202, ""]);
  expect((await call("GET", path)).json).toMatchObject({ tag: "after", description: "kept" });
});

test("PATCH returns the object if the switch is set", async () => {
  const path = await createRoom({ name: "pool-017" });
  platform.setBehaviour({ patchReturnsObject: true });

  expect((await call("PATCH", path, { tag: "after" })).json).toMatchObject({
    name: "pool-017",
    tag: "after",
  });
});

test("DELETE returns 204 and also deletes the aliases", async () => {
  const path = await createRoom({ name: "pool-017", aliases: [{ alias: "pool-017" }] });
  const deleted = await call("DELETE", path);

  expect([deleted.status, deleted.text]).toEqual([204, ""]);
  await createRoom({ name: "POOL-017", aliases: [{ alias: "pool-017" }] });
});

test.each(["GET", "PATCH", "DELETE"])(
  "%s of an unknown id returns 404 with an empty body",
  async (method) => {
    const answer = await call(method, `${conferencePath}99/`, method === "PATCH" ? {} : undefined);

    expect([answer.status, answer.text]).toEqual([404, ""]);
  },
);

test.each(["DELETE", "PUT"])("%s on the list is refused and counted, and deletes nothing", async (method) => {
  await createRoom({ name: "pool-017" });
  const answer = await call(method, conferencePath, method === "PUT" ? { objects: [] } : undefined);

  expect(answer.status).toBe(403);
  expect(platform.requests().listWipeAttempts).toBe(1);
  expect(platform.roomCount()).toBe(1);
});

test.each(["POST", "PATCH", "DELETE"])("%s on a status resource returns 405", async (method) => {
  const body = method === "DELETE" ? undefined : {};
  const answer = await call(method, "/api/admin/status/v1/conference/", body);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
});

test("A path without trailing slash is redirected", async () => {
  const redirected = await call("GET", `${conferencePath.slice(0, -1)}?name=a`);
  expect([redirected.status, redirected.headers.get("location")]).toEqual([301, `${conferencePath}?name=a`]);
});

test("Changes and deletes reach the conferencing nodes after the replication delay", async () => {
  platform.setBehaviour({ replicationSeconds: 90 });
  const path = await createRoom({ name: "pool-017" });
  expect(platform.rooms()).toMatchObject([{ name: "pool-017", configured: true, replicated: false }]);
  platform.advanceClock(90);
  expect(platform.rooms()).toMatchObject([{ configured: true, replicated: true }]);
  await call("DELETE", path);
  expect(platform.rooms()).toEqual([{ name: "pool-017", configured: false, replicated: true }]);
  platform.advanceClock(90);
  expect(platform.rooms()).toEqual([]);
});
