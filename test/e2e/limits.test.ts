/** The limits (specification 8) and the interface version (specification 9). */
import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { startRunningGateway, useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway({ settings: () => ({ MAX_VMR: "7" }) });
beforeEach(async () => gateway.empty());

const scheduleOf = (name: string) => gateway.host().functions.find((entry) => entry.name === name)?.schedule;

test("Access tokens are valid for 3599 seconds", () => {
  const [, payload = ""] = gateway.stack.issuer.issueToken(identities.clientId).split(".");
  const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
    iat: number;
    exp: number;
  };
  expect(exp - iat).toBe(3599);
});

test("Garbage collection runs on the schedule 0 */10 * * * *", () => {
  expect(scheduleOf("collectGarbage")).toBe("0 */10 * * * *");
});

test("Metrics collection runs on the schedule 0 */5 * * * *", () => {
  expect(scheduleOf("collectMetrics")).toBe("0 */5 * * * *");
});

test("Metrics collection also runs on startup", async () => {
  const other = await startRunningGateway({ timersEnabled: true });
  try {
    await expect.poll(() => other.stack.logWorkspace.rows()).toHaveLength(1);
    expect(other.logged("metrics-collected")).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

test("A garbage-collection run receives up to 20 messages", async () => {
  for (let index = 0; index < 25; index++) await gateway.queues.deletion.put(`vanished-${index}`);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(5);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(0);
});

test("A garbage-collection run without messages does not call the platform", async () => {
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.stack.platform.requests().total).toBe(0);
});

test("A garbage-collection run with messages fetches all pages of rooms", async () => {
  gateway.stack.platform.setBehaviour({ maxPageSize: 10 });
  gateway.stack.platform.seedRooms({ count: 35 });
  await gateway.queues.deletion.put("vanished-room");
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  const { byRoute } = gateway.stack.platform.requests();
  expect(byRoute["GET /api/admin/configuration/v1/conference/"]).toBe(4 + 1);
});

test("Garbage collection skips a message younger than the minimum age of 10 minutes", async () => {
  await gateway.queues.deletion.put(gateway.addRoom("a-room"));
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room("a-room")).toBeDefined();
  expect(await gateway.queues.deletion.count()).toBe(1);
  expect(gateway.logged("deletion-skipped").at(-1)?.message).toContain('"reason":"young"');
});

test("Garbage collection deletes the room of a skipped message once the message is old enough", async () => {
  const scaled = await startRunningGateway({ settings: () => ({ GC_MINIMUM_AGE_SECONDS: "6" }) });
  try {
    const room = scaled.addRoom("a-room");
    await scaled.queues.deletion.put(room);
    expect(await scaled.runTimer("collectGarbage")).toBe(true);
    expect(scaled.room(room)).toBeDefined();
    const collected = async () => {
      await scaled.runTimer("collectGarbage");
      return scaled.room(room);
    };
    await expect.poll(collected, { interval: 200 }).toBeUndefined();
    expect(await scaled.queues.deletion.count()).toBe(0);
  } finally {
    await scaled.stop();
  }
});

test("Bulk create provisions up to MAX_VMR rooms", async () => {
  expect(await gateway.sendAsApplication("POST /room/bulk/")).toMatchObject({ status: 202 });
  expect(await gateway.settled()).toBe(7);
  expect(gateway.stack.platform.roomCount()).toBe(7);
});

test.each([3, 9])("Bulk create with max_vmr=%i provisions that many rooms instead", async (count) => {
  expect(await gateway.sendAsApplication(`POST /room/bulk/?max_vmr=${count}`)).toMatchObject({ status: 202 });
  expect(await gateway.settled()).toBe(count);
});

test("A room does not limit client bandwidth unless the template does", async () => {
  await gateway.fillPool(1);
  const { name } = gateway.stack.platform.rooms()[0] ?? { name: "" };
  const { json } = await gateway.sendAsApplication(`GET /room/${name}?constrained_attributes=false`);
  expect(json).toMatchObject({ max_callrate_in: null, max_callrate_out: null });
});

test.each(["test_", "vkiosk_"])(
  "Garbage collection and bulk delete keep rooms with the persistent prefix %s",
  async (prefix) => {
    const names = [`${prefix}room`, prefix].map((name) => gateway.addRoom(name));
    const almost = gateway.addRoom(`x${prefix}room`);
    for (const name of names) await gateway.queues.deletion.put(name);
    expect(await gateway.runTimer("collectGarbage")).toBe(true);
    expect(await gateway.queues.deletion.count()).toBe(0);
    expect(await gateway.sendAsApplication("DELETE /room/bulk/")).toMatchObject({ status: 204 });
    expect(names.map((name) => gateway.room(name)?.["name"])).toEqual(names);
    expect(gateway.room(almost)).toBeUndefined();
  },
);

test("A metrics row has the pool depth, available and in-use rooms, alarms and connectivity", async () => {
  await gateway.fillPool(3);
  expect(await gateway.sendAsApplication("POST /room/create")).toMatchObject({ status: 200 });
  await gateway.settled();
  gateway.stack.platform.raiseAlarm({ name: "licenses_exhausted", level: "error" });
  expect(await gateway.runTimer("collectMetrics")).toBe(true);
  expect(gateway.stack.logWorkspace.rows().at(-1)?.row).toMatchObject({
    PoolDepth: 3,
    AvailableRooms: 3,
    InUseRooms: 1,
    UnaccountedRooms: 0,
    AlarmCount: 1,
    AlarmLevel: "error",
    AlarmNames: "licenses_exhausted",
    PlatformConnected: true,
  });
});

test("The interface version is 1.0.0", () => {
  const text = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toMatchObject({ info: { version: "1.0.0" } });
});
