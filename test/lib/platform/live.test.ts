/** The platform's status API: running conferences and active alarms, on all pages. */
import { beforeEach, expect, test } from "vitest";
import type { PlatformCall } from "../../../src/lib/platform/client.ts";
import { createPlatformStatus, type PlatformStatus } from "../../../src/lib/platform/live.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";

const platform = usePlatform();
let status: PlatformStatus;
beforeEach(() => {
  status = createPlatformStatus(newPlatformClient(platform.url));
});

test("isLive returns true from the start of a conference until it ends on the last node", async () => {
  expect(await status.isLive("room-a")).toBe(false);
  platform.startConference({ name: "room-a", nodes: ["10.0.0.21", "10.0.0.22"] });
  expect(await status.isLive("room-a")).toBe(true);
  expect(await status.isLive("room-a2")).toBe(false);
  platform.endConference({ name: "room-a", nodes: ["10.0.0.21"] });
  expect(await status.isLive("room-a")).toBe(true);
  platform.endConference({ name: "room-a" });
  expect(await status.isLive("room-a")).toBe(false);
});

test("liveConferences returns the names on all pages, and alarms returns names and levels", async () => {
  platform.setBehaviour({ maxPageSize: 10 });
  for (let index = 0; index < 35; index++) platform.startConference({ name: `room-${index}` });
  expect((await status.liveConferences()).size).toBe(35);

  const alarms = [
    { name: "licence_expiring", level: "error" },
    { name: "node_offline", level: "warning" },
  ] as const;
  for (const alarm of alarms) platform.raiseAlarm(alarm);
  expect(await status.alarms()).toEqual(alarms);
});

const answering = (body: unknown) => {
  const calls: PlatformCall[] = [];
  const call = async (request: PlatformCall) => {
    calls.push(request);
    return { body };
  };
  return { odd: createPlatformStatus({ call }), calls };
};

test.each(["isLive", "liveConferences", "alarms"] as const)(
  "%s throws instead of returning an empty list if the platform fails or its response is undocumented",
  async (name) => {
    platform.addFault({ kind: "status", status: 503, count: 3 });
    await expect(status[name]("room-a")).rejects.toMatchObject({ code: "platform-unavailable" });
    for (const body of ["<html>", { meta: {}, objects: [5] }]) {
      const { odd } = answering(body);
      await expect(odd[name]("room-a")).rejects.toMatchObject({ code: "platform-rejected" });
    }
  },
);

test("isLive also filters by name itself, lists request 500 rows, and alarms have missing fields filled", async () => {
  const { odd, calls } = answering({ meta: {}, objects: [{ name: "room-b" }] });
  expect(await odd.isLive("room-a")).toBe(false);
  await odd.liveConferences();
  const limit = 500;
  expect(calls.map(({ query }) => query)).toEqual([{ name: "room-a", limit }, { limit }]);
  const { odd: unnamed } = answering({ meta: {}, objects: [{ name: null }] });
  expect(await unnamed.alarms()).toEqual([{ name: "unnamed", level: "unknown" }]);
});
