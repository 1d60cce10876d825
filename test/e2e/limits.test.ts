/** The limits (specification 8). */
import { beforeEach, expect, test } from "vitest";
import { identities } from "../../tools/local/stack/identities.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway({ settings: () => ({ MAX_VMR: "7" }) });
beforeEach(async () => gateway.empty());

test("Access tokens are valid for 3599 seconds", () => {
  const [, payload = ""] = gateway.stack.issuer.issueToken(identities.clientId).split(".");
  const { iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
  expect(exp - iat).toBe(3599);
});

test("A garbage-collection run receives up to 20 messages", async () => {
  for (let index = 0; index < 25; index++) await gateway.queues.deletion.put(`vanished-${index}`);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(5);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(0);
});

test("Garbage collection skips a message younger than the minimum age of 10 minutes", async () => {
  await gateway.queues.deletion.put(gateway.assignedRoom("a-room"));
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(gateway.room("a-room")).toBeDefined();
  expect(await gateway.queues.deletion.count()).toBe(1);
  expect(gateway.logged("deletion-skipped").at(-1)?.message).toContain('"reason":"young"');
});

test("Bulk create provisions up to MAX_VMR rooms", async () => {
  expect(await gateway.sendAsApplication("POST /room/bulk/")).toMatchObject({ status: 202 });
  expect(await gateway.settled()).toBe(7);
  expect(gateway.stack.platform.roomCount()).toBe(7);
});

test("A room does not limit client bandwidth unless the template does", async () => {
  await gateway.fillPool(1);
  const { name } = gateway.stack.platform.rooms()[0] ?? { name: "" };
  const { json } = await gateway.sendAsApplication(`GET /room/${name}?constrained_attributes=false`);
  expect(json).toMatchObject({ max_callrate_in: null, max_callrate_out: null });
});

test.each(["test_", "vkiosk_"])("Collector and bulk delete keep rooms with the prefix %s", async (prefix) => {
  const names = [`${prefix}room`, prefix].map((name) => gateway.addRoom(name));
  const almost = gateway.addRoom(`x${prefix}room`);
  for (const name of names) await gateway.queues.deletion.put(name);
  expect(await gateway.runTimer("collectGarbage")).toBe(true);
  expect(await gateway.queues.deletion.count()).toBe(0);
  expect(await gateway.sendAsApplication("DELETE /room/bulk/")).toMatchObject({ status: 204 });
  expect(names.map((name) => gateway.room(name)?.["name"])).toEqual(names);
  expect(gateway.room(almost)).toBeUndefined();
});
