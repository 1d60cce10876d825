/** Locations, themes and automatic participants: what rooms refer to. */
import { expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../support/management-client.ts";
import { usePlatform } from "../../../support/use-platform.ts";

const configuration = "/api/admin/configuration/v1";
const participants = `${configuration}/automatic_participant/`;

const platform = usePlatform();
const call = managementClient(platform);

test.each(["system_location", "ivr_theme", "automatic_participant"])(
  "%s has one row for rooms to refer to",
  async (name) => {
    const { json } = await call("GET", `${configuration}/${name}/`);

    expect(json.objects).toMatchObject([{ id: 1, resource_uri: `${configuration}/${name}/1/` }]);
  },
);

test("An automatic participant is created with defaults, found by alias, changed and deleted", async () => {
  const created = await call("POST", participants, { alias: "sip:other@example.com", role: "chair" });
  expect([created.status, created.text]).toEqual([201, ""]);
  const path = created.headers.get("location") ?? "";

  const found = await call("GET", `${participants}?alias=sip:other@example.com`);
  expect(found.json.objects).toMatchObject([{ resource_uri: path, protocol: "sip", role: "chair" }]);
  expect((await call("PATCH", path, { streaming: true })).status).toBe(202);
  expect((await call("GET", path)).json).toMatchObject({ role: "chair", streaming: true });
  expect((await call("DELETE", path)).status).toBe(204);
  expect((await call("GET", path)).status).toBe(404);
});

test("A room dials a participant until that is deleted", async () => {
  const [id] = platform.seedRooms({ rows: [{ name: "a", automatic_participants: [`${participants}1/`] }] });
  expect(platform.rooms()).toMatchObject([{ automatic_participants: [{ id: 1 }] }]);
  await call("DELETE", `${participants}1/`);

  expect(platform.rooms()).toMatchObject([{ automatic_participants: [] }]);
  expect((await call("PATCH", `${conferencePath}${id}/`, { tag: "t" })).status).toBe(202);
  const refused = await call("POST", conferencePath, {
    name: "b",
    automatic_participants: [`${participants}1/`],
  });
  expect(refused.status).toBe(400);
});

test.each([
  ["a taken alias", { alias: "SIP:queue@contact-centre.example.com" }],
  ["no alias", {}],
  ["rooms from its own side", { alias: "sip:new@example.com", conference: [`${conferencePath}1/`] }],
])("A participant with %s returns 400", async (_, body) => {
  expect((await call("POST", participants, body)).status).toBe(400);
});

test("A room stores its location as a path and is found by it", async () => {
  const location = `${configuration}/system_location/1/`;
  platform.seedRooms({ rows: [{ name: "a", system_location: { id: 1 } }, { name: "b" }] });
  const { json } = await call("GET", `${conferencePath}?system_location__name=Local`);

  expect(json.objects).toMatchObject([{ name: "a", system_location: location }]);
  expect((await call("GET", conferencePath)).json.meta.total_count).toBe(2);
});
