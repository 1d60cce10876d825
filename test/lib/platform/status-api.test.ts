/** The platform's status API: running conferences and active alarms. */
import { expect, test } from "vitest";
import type { PlatformCall } from "../../../src/lib/platform/client.ts";
import { createPlatformStatus } from "../../../src/lib/platform/status-api.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";

const platform = usePlatform();

const answering = (body: unknown) => {
  const calls: PlatformCall[] = [];
  const call = async (request: PlatformCall) => {
    calls.push(request);
    return { body };
  };
  return { odd: createPlatformStatus({ call }), calls };
};

test.each(["isLive", "liveConferences", "alarms"] as const)(
  "`%s` throws instead of returning an empty list if the platform fails or its response is undocumented",
  async (name) => {
    const status = createPlatformStatus(newPlatformClient(platform.url));
    platform.addFault({ kind: "status", status: 503, count: 3 });
    await expect(status[name]("room-a")).rejects.toMatchObject({ code: "platform-unavailable" });
    for (const body of ["<html>", { meta: { total_count: 1 }, objects: [5] }]) {
      const { odd } = answering(body);
      await expect(odd[name]("room-a")).rejects.toMatchObject({ code: "platform-unavailable" });
    }
  },
);

test("`isLive` also filters by name itself, lists request 500 rows, and alarms have missing fields filled", async () => {
  const objects = ["room-a2", "room-a", "room-a"].map((name) => ({ name }));
  const { odd, calls } = answering({ meta: { total_count: 3 }, objects });
  expect([await odd.isLive("room-a"), await odd.isLive("room")]).toEqual([true, false]);
  expect(await odd.liveConferences()).toEqual(new Set(["room-a", "room-a2"]));
  const firstPage = { limit: 500, offset: 0 };
  expect(calls.map(({ query }) => query)).toEqual([
    { name: "room-a", ...firstPage },
    { name: "room", ...firstPage },
    firstPage,
  ]);
  const { odd: unnamed } = answering({ meta: { total_count: 1 }, objects: [{ name: null }] });
  expect(await unnamed.alarms()).toEqual([{ name: "unnamed", level: "unknown" }]);
});

test.each([
  [600, 500],
  [25, 20],
])("%i alarms in pages of at most %i are that many alarms", async (count, maxPageSize) => {
  platform.setBehaviour({ maxPageSize });
  const names = Array.from({ length: count }, (_, index) => `alarm-${index}`);
  for (const name of names) platform.raiseAlarm({ name, level: "minor" });
  const alarms = await createPlatformStatus(newPlatformClient(platform.url)).alarms();
  expect(alarms.map(({ name }) => name)).toEqual(names);
});
