/** Aliases: nested in a conference, where nothing is dependable, and as objects of their own. */
import { beforeEach, expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../support/management-client.ts";
import { usePlatform } from "../../../support/use-platform.ts";

const aliasPath = "/api/admin/configuration/v1/conference_alias/";
const aliasTaken = { conference_alias: { alias: ["Alias with this Alias already exists."] } };

const platform = usePlatform();
const call = managementClient(platform);
beforeEach(() => {
  platform.seedRooms({ rows: [{ name: "owner", aliases: [{ alias: "taken" }] }] });
});

const newRoom = { name: "new", aliases: [{ alias: "free" }, { alias: "TAKEN" }] };

test("A taken alias refuses the whole create by default", async () => {
  expect((await call("POST", conferencePath, newRoom)).json).toEqual(aliasTaken);
  expect(platform.roomCount()).toBe(1);
});

test("A refused create leaves the room without aliases if createAliasConflict is parent_stays", async () => {
  platform.setBehaviour({ createAliasConflict: "parent_stays" });

  expect((await call("POST", conferencePath, newRoom)).status).toBe(400);
  expect(platform.rooms()).toMatchObject([{ name: "owner" }, { name: "new", aliases: [] }]);
});

test("PATCH adds aliases, moves them from other rooms, keeps omitted ones, and is counted", async () => {
  const [id] = platform.seedRooms({ rows: [{ name: "new", aliases: [{ alias: "own" }] }] });
  expect((await call("PATCH", `${conferencePath}${id}/`, { aliases: [{ alias: "taken" }] })).status).toBe(
    202,
  );

  const [owner, changed] = platform.rooms();
  expect(owner).toMatchObject({ aliases: [] });
  expect(changed).toMatchObject({ aliases: [{ alias: "own" }, { alias: "taken" }] });
  expect(platform.requests().nestedAliasUpdates).toBe(1);
});

test("Alias objects are created, filtered by room, changed and deleted", async () => {
  const conference = `${conferencePath}1/`;
  expect((await call("POST", aliasPath, { alias: "Taken", conference })).json).toEqual(aliasTaken);
  const created = await call("POST", aliasPath, { alias: "second", conference });
  const location = created.headers.get("location") ?? "";

  expect((await call("PATCH", location, { alias: "renamed" })).status).toBe(202);
  const listed = await call("GET", `${aliasPath}?conference=1&order_by=alias`);
  expect(listed.json.objects.map((row) => row["alias"])).toEqual(["renamed", "taken"]);
  expect(listed.json.objects[0]?.["resource_uri"]).toBe(location);
  expect((await call("DELETE", location)).status).toBe(204);
  expect((await call("GET", location)).status).toBe(404);
  expect((await call("GET", `${aliasPath}?conference=${conference}`)).status).toBe(400);
});

test("A taken alias moves to the new room if createAliasConflict is move", async () => {
  platform.setBehaviour({ createAliasConflict: "move" });

  expect((await call("POST", conferencePath, newRoom)).status).toBe(201);
  expect(platform.rooms()).toMatchObject([
    { name: "owner", aliases: [] },
    { name: "new", aliases: [{ alias: "free" }, { alias: "taken" }] },
  ]);
});

test("PATCH replaces the aliases if updateAliases is replace", async () => {
  platform.setBehaviour({ updateAliases: "replace" });
  await call("PATCH", `${conferencePath}1/`, { aliases: [{ alias: "other" }] });

  expect(platform.rooms()).toMatchObject([{ aliases: [{ alias: "other" }] }]);
  expect((await call("GET", `${aliasPath}?alias=taken`)).json.objects).toEqual([]);
});

test("A path among the nested aliases moves that alias to the room", async () => {
  const [id] = platform.seedRooms({ rows: [{ name: "new" }] });
  await call("PATCH", `${conferencePath}${id}/`, { aliases: [`${aliasPath}1/`] });

  expect(platform.rooms()).toMatchObject([{ aliases: [] }, { aliases: [{ id: 1, alias: "taken" }] }]);
});

test("A duplicate alias in one room and one that is too long are refused", async () => {
  const twice = { name: "new", aliases: [{ alias: "free" }, { alias: "FREE" }] };
  expect((await call("POST", conferencePath, twice)).json).toEqual(aliasTaken);

  const long = { name: "new", aliases: [{ alias: "x".repeat(251) }] };
  expect((await call("POST", conferencePath, long)).status).toBe(400);
  expect(platform.roomCount()).toBe(1);
});
