/** The platform's status API: who is live, which alarms are raised, on all pages. */
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../../local/platform/platform-simulator.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createPlatformClient } from "../../../src/lib/platform/client.ts";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";
import { createPlatformStatus, type PlatformStatus } from "../../../src/lib/platform/status.ts";

let platform: PlatformSimulator;
let status: PlatformStatus;
beforeEach(async () => {
  const account = { username: "api-user", password: "api-password" };
  platform = await startPlatformSimulator(account);
  const logIn = createBasicLogIn(account.username, account.password);
  const options = { url: platform.url, timeoutSeconds: 2, maximumConcurrency: 5, logIn, clock: systemClock };
  status = createPlatformStatus(createPlatformClient(options));
});
afterEach(async () => platform.stop());

test("a conference is live from its start until its end on the last node", async () => {
  expect(await status.isLive("room-a")).toBe(false);
  platform.startConference({ name: "room-a", nodes: ["10.0.0.21", "10.0.0.22"] });
  expect(await status.isLive("room-a")).toBe(true);
  platform.endConference({ name: "room-a", nodes: ["10.0.0.21"] });
  expect(await status.isLive("room-a")).toBe(true);
  platform.endConference({ name: "room-a" });
  expect(await status.isLive("room-a")).toBe(false);
});

test.each(["room", "room-a2", "ROOM-A"])("a live room-a says nothing about %s", async (name) => {
  platform.startConference({ name: "room-a" });
  expect(await status.isLive(name)).toBe(false);
});

test("all live conferences of all pages are named", async () => {
  platform.setBehaviour({ maximumPageSize: 10 });
  for (let index = 0; index < 35; index++) platform.startConference({ name: `room-${index}` });
  expect((await status.liveConferences()).size).toBe(35);
});

test("alarms are told with their levels", async () => {
  platform.raiseAlarm({ name: "licence_expiring", level: "error" });
  platform.raiseAlarm({ name: "node_offline", level: "warning" });
  expect(await status.alarms()).toEqual([
    { name: "licence_expiring", level: "error" },
    { name: "node_offline", level: "warning" },
  ]);
});

test.each(["isLive", "liveConferences", "alarms"] as const)(
  "%s: an odd answer or a fault is an error, never an empty list",
  async (name) => {
    platform.addFault({ kind: "status", status: 503, count: 1 });
    await expect(status[name]("room-a")).rejects.toMatchObject({ code: "platform-unavailable" });
    platform.addFault({ kind: "status", status: 302, count: 1 });
    await expect(status[name]("room-a")).rejects.toMatchObject({ code: "platform-rejected" });
  },
);
