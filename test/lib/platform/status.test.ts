/** The platform's status API: running conferences and active alarms, on all pages. */
import { beforeEach, describe, expect, test } from "vitest";
import type { PlatformCall } from "../../../src/lib/platform/client.ts";
import { createPlatformStatus, type PlatformStatus } from "../../../src/lib/platform/status.ts";
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
  platform.endConference({ name: "room-a", nodes: ["10.0.0.21"] });
  expect(await status.isLive("room-a")).toBe(true);
  platform.endConference({ name: "room-a" });
  expect(await status.isLive("room-a")).toBe(false);
});

test.each(["room", "room-a2", "ROOM-A"])("isLive returns false for %s if room-a is running", async (name) => {
  platform.startConference({ name: "room-a" });
  expect(await status.isLive(name)).toBe(false);
});

test("isLive compares names itself if the platform ignores the filter", async () => {
  const odd = createPlatformStatus({
    call: async () => ({ body: { meta: {}, objects: [{ name: "room-b" }] } }),
  });
  expect(await odd.isLive("room-a")).toBe(false);
  expect(await odd.isLive("room-b")).toBe(true);
});

test("liveConferences returns the names on all pages", async () => {
  platform.setBehaviour({ maxPageSize: 10 });
  for (let index = 0; index < 35; index++) platform.startConference({ name: `room-${index}` });
  expect((await status.liveConferences()).size).toBe(35);
});

test("alarms returns names and levels", async () => {
  platform.raiseAlarm({ name: "licence_expiring", level: "error" });
  platform.raiseAlarm({ name: "node_offline", level: "warning" });
  expect(await status.alarms()).toEqual([
    { name: "licence_expiring", level: "error" },
    { name: "node_offline", level: "warning" },
  ]);
});

test.each(["isLive", "liveConferences", "alarms"] as const)(
  "%s throws after a fault or a redirect instead of returning an empty list",
  async (name) => {
    platform.addFault({ kind: "status", status: 503, count: 1 });
    await expect(status[name]("room-a")).rejects.toMatchObject({ code: "platform-unavailable" });
    platform.addFault({ kind: "status", status: 302, count: 1 });
    await expect(status[name]("room-a")).rejects.toMatchObject({ code: "platform-rejected" });
  },
);

describe("with an unusual platform", () => {
  const answering = (body: (path: string) => unknown) => {
    const calls: PlatformCall[] = [];
    const call = async (request: PlatformCall) => {
      calls.push(request);
      return { body: body(request.path) };
    };
    return { odd: createPlatformStatus({ call }), calls };
  };

  test.each(["isLive", "liveConferences", "alarms"] as const)(
    "%s throws if the response does not have the documented format",
    async (name) => {
      for (const body of ["<html>", {}, { meta: {}, objects: {} }, { meta: {}, objects: [5] }]) {
        await expect(answering(() => body).odd[name]("room-a")).rejects.toMatchObject({
          code: "platform-rejected",
        });
      }
    },
  );

  test("isLive filters by name, and lists request 500 rows", async () => {
    const { odd, calls } = answering(() => ({ meta: {}, objects: [] }));
    await odd.isLive("room-a");
    await odd.liveConferences();
    await odd.alarms();
    expect(calls.map(({ query }) => query)).toEqual([
      { name: "room-a", limit: 500 },
      { limit: 500 },
      { limit: 500 },
    ]);
  });

  test("alarms includes an alarm without name or level", async () => {
    const { odd } = answering(() => ({ meta: {}, objects: [{}, { name: null, level: 5 }] }));
    expect(await odd.alarms()).toEqual([
      { name: "unnamed", level: "unknown" },
      { name: "unnamed", level: "unknown" },
    ]);
  });
});
