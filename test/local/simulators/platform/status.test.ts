/** The status API: running conferences and alarms. */
import { expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../support/management-client.ts";
import { usePlatform } from "../../../support/use-platform.ts";

const status = "/api/admin/status/v1";

const platform = usePlatform();
const call = managementClient(platform);

const count = async (path: string): Promise<number> =>
  (await call("GET", `${status}${path}`)).json.meta.total_count;

test("A conference has one row until it ends on its last node, even if its room is deleted", async () => {
  const [room] = platform.seedRooms({ rows: [{ name: "pool-017", tag: "pool" }] });
  const id = platform.startConference({ name: "pool-017", nodes: ["10.0.0.21", "10.0.0.22"] });
  await call("DELETE", `${conferencePath}${room}/`);

  const { json } = await call("GET", `${status}/conference/?name=pool-017`);
  expect(json.objects).toMatchObject([{ id, name: "pool-017", service_type: "conference", tag: "pool" }]);
  expect(json.objects[0]?.["start_time"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$/);
  expect((await call("GET", `${status}/conference/${id}/`)).json["name"]).toBe("pool-017");

  platform.endConference({ name: "pool-017", nodes: ["10.0.0.21"] });
  expect(await count("/conference/?name=pool-017")).toBe(1);
  platform.endConference({ name: "pool-017", nodes: ["10.0.0.22"] });
  expect(await count("/conference/?name=pool-017")).toBe(0);
  expect((await call("GET", `${status}/conference/${id}/`)).status).toBe(404);
});

test.each(["POST", "PATCH", "DELETE"])("%s on a status resource returns 405", async (method) => {
  const answer = await call(method, `${status}/conference/`, method === "DELETE" ? undefined : {});

  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
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
