/** The limits of specification §8, and its version. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({ settings: () => ({ MAX_VMR: "7" }) });
});
afterAll(async () => gateway.stop());
beforeEach(async () => gateway.empty());

const scheduleOf = (name: string) => gateway.host().functions.find((entry) => entry.name === name)?.schedule;

test("access-token lifetime: 3599 seconds", () => {
  const [, payload = ""] = gateway.stack.issuer.issueToken(identities.clientId).split(".");
  const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
    iat: number;
    exp: number;
  };
  expect(exp - iat).toBe(3599);
});

test("garbage collection schedule: 0 */10 * * * *", () => {
  expect(scheduleOf("collectGarbage")).toBe("0 */10 * * * *");
});

test("metrics collection schedule: 0 */5 * * * *", () => {
  expect(scheduleOf("collectMetrics")).toBe("0 */5 * * * *");
});

test("metrics collection also runs on startup", async () => {
  const other = await startRunningGateway({ timersEnabled: true });
  try {
    await expect.poll(() => other.stack.logWorkspace.rows()).toHaveLength(1);
    expect(other.logged("metrics-collected")).toHaveLength(1);
  } finally {
    await other.stop();
  }
});

test("messages popped per garbage-collection run: up to 20", async () => {
  for (let index = 0; index < 25; index++) await gateway.queues.deletion.put(`vanished-${index}`);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(5);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(0);
});

test("a garbage-collection run without messages exits without a call to the platform", async () => {
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.stack.platform.requests().total).toBe(0);
});

test("a garbage-collection run with messages fetches all rooms, however many pages the platform makes", async () => {
  gateway.stack.platform.setBehaviour({ maxPageSize: 10 });
  gateway.stack.platform.seedRooms({ count: 35 });
  await gateway.queues.deletion.put("vanished-room");
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  const { byRoute } = gateway.stack.platform.requests();
  expect(byRoute["GET /api/admin/configuration/v1/conference/"]).toBe(4 + 1);
});

test("queued for deletion → queued for deletion (§3): a message younger than 10 minutes, the minimum age, is skipped", async () => {
  await gateway.queues.deletion.put(gateway.addRoom("a-room"));
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room("a-room")).toBeDefined();
  expect(await gateway.queues.deletion.count()).toBe(1);
  expect(gateway.logged("deletion-skipped").at(-1)?.message).toContain('"reason":"young"');
});

test("queued for deletion → queued for deletion (§3): it is retried on a later run, once it is old enough", async () => {
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

test("maximum rooms created by bulk create: MAX_VMR", async () => {
  expect(await gateway.sendAsApplication("POST /room/bulk/")).toMatchObject({ status: 202 });
  expect(await gateway.settled()).toBe(7);
  expect(gateway.stack.platform.roomCount()).toBe(7);
});

test.each([3, 9])("maximum rooms created by bulk create: max_vmr=%i overrides the count", async (count) => {
  expect(await gateway.sendAsApplication(`POST /room/bulk/?max_vmr=${count}`)).toMatchObject({ status: 202 });
  expect(await gateway.settled()).toBe(count);
});

test("client media bandwidth is the client's: no room limits it unless the template does", async () => {
  await gateway.fillPool(1);
  const { name } = gateway.stack.platform.rooms()[0] ?? { name: "" };
  const { json } = await gateway.sendAsApplication(`GET /room/${name}?constrained_attributes=false`);
  expect(json).toMatchObject({ max_callrate_in: null, max_callrate_out: null });
});

test.each(["test_", "vkiosk_"])(
  "persistent room prefix %s: neither the collector nor bulk delete deletes it",
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

test("metrics of a run: depth of the pool, available and in-use rooms, alarms, connectivity", async () => {
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

test("§9 interface version: 1.0.0", () => {
  const text = readFileSync(new URL("../../openapi.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toMatchObject({ info: { version: "1.0.0" } });
});
