/** The status API and the commands. */
import { expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../support/management-client.ts";
import { usePlatform } from "../../../support/use-platform.ts";

const status = "/api/admin/status/v1";
const disconnect = "/api/admin/command/v1/conference/disconnect/";

const platform = usePlatform();
const call = managementClient(platform);

const count = async (path: string): Promise<number> =>
  (await call("GET", `${status}${path}`)).json.meta.total_count;

test("A running conference has one row and one shard per node, until it ends on its last node", async () => {
  platform.seedRooms({ rows: [{ name: "pool-017", tag: "pool" }] });
  const id = platform.startConference({
    name: "pool-017",
    nodes: ["10.0.0.21", "10.0.0.22"],
    participants: 2,
  });

  const { json } = await call("GET", `${status}/conference/?name=pool-017`);
  expect(json.objects).toMatchObject([{ id, name: "pool-017", service_type: "conference", tag: "pool" }]);
  expect(json.objects[0]?.["start_time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);
  expect(await count("/conference_shard/?name=pool-017")).toBe(2);
  expect(await count("/participant/?conference=pool-017")).toBe(2);
  expect((await call("GET", `${status}/conference/${id}/`)).json["name"]).toBe("pool-017");

  platform.endConference({ name: "pool-017", nodes: ["10.0.0.21"] });
  expect(await count("/conference/?name=pool-017")).toBe(1);
  expect(await count("/conference_shard/?name=pool-017")).toBe(1);
  platform.endConference({ name: "pool-017", nodes: ["10.0.0.22"] });
  expect(await count("/conference/?name=pool-017")).toBe(0);
  expect(await count("/participant/")).toBe(0);
  expect((await call("GET", `${status}/conference/${id}/`)).status).toBe(404);
});

test("Deleting a room leaves its conference running", async () => {
  const [id] = platform.seedRooms({ rows: [{ name: "pool-017" }] });
  platform.startConference({ name: "pool-017" });
  await call("DELETE", `${conferencePath}${id}/`);

  expect(await count("/conference/?name=pool-017")).toBe(1);
});

test.each(["POST", "PATCH", "DELETE"])("%s on a status resource returns 405", async (method) => {
  const answer = await call(method, `${status}/conference/`, method === "DELETE" ? undefined : {});

  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
});

test("The disconnect command ends a conference and returns 400 if it has ended", async () => {
  const id = platform.startConference({ name: "pool-017", nodes: ["10.0.0.21", "10.0.0.22"] });
  const done = await call("POST", disconnect, { conference_id: id });
  expect([done.status, done.json]).toEqual([202, { status: "success", data: null }]);

  const gone = await call("POST", disconnect, { conference_id: id });
  expect([gone.status, gone.json]).toEqual([
    400,
    { conference: { conference_id: ["Failed to find conference."] } },
  ]);
});

test("A participant can be disconnected once", async () => {
  platform.startConference({ name: "pool-017", participants: 1 });
  const { json } = await call("GET", `${status}/participant/`);
  const command = "/api/admin/command/v1/participant/disconnect/";

  expect((await call("POST", command, { participant_id: json.objects[0]?.id })).status).toBe(202);
  expect((await call("POST", command, { participant_id: json.objects[0]?.id })).status).toBe(400);
});

test("Alarms are listed until they are cleared", async () => {
  platform.raiseAlarm({ name: "licenses_exhausted", level: "error" });
  platform.raiseAlarm({ name: "licenses_exhausted", level: "error" });
  platform.raiseAlarm({ name: "connectivity_lost" });
  expect(await count("/alarm/")).toBe(2);
  expect(await count("/alarm/?name=licenses_exhausted")).toBe(1);

  platform.clearAlarms("licenses_exhausted");
  expect((await call("GET", `${status}/alarm/`)).json.objects).toMatchObject([{ name: "connectivity_lost" }]);
});

test("Nodes and licences are listed for the connectivity check", async () => {
  expect(await count("/worker_vm/?limit=1")).toBe(3);
  expect((await call("GET", `${status}/licensing/`)).json.objects).toMatchObject([{ port_count: 0 }]);
});
