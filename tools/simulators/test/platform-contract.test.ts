/** The client finds the same platform in memory and behind the simulator's sockets: responses, refusals and failures. */
import { describe, expect, test } from "vitest";
import { createClient } from "../../../src/lib/platform/client.ts";
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { newPlatformClient, usePlatform } from "../../../test/support/use-platform.ts";
import { createManualClock } from "../memory/clock.ts";
import { createMemoryPlatform, noCredentials } from "../platform/memory-platform.ts";

const simulator = usePlatform({ requestLimitPerMinute: null });

const path = "/api/admin/configuration/v1/conference/";
const timeoutSeconds = 0.5;
const options = { timeoutSeconds, maxConcurrency: 5, credentials: noCredentials, clock: createManualClock() };

function openMemory() {
  const platform = createMemoryPlatform(Date.now);
  const newClient = () => createClient(platform.transport, options);
  return { platform, newClient, client: newClient() };
}

function openSimulator() {
  const newClient = () => newPlatformClient(simulator.url, { timeoutSeconds });
  return { platform: simulator, newClient, client: newClient() };
}

describe.each([
  ["in memory", openMemory],
  ["behind sockets", openSimulator],
])("the platform %s", (_, open) => {
  test("creates, finds, changes and deletes a room", async () => {
    const { client } = open();
    const rows = async () => (await client.call({ method: "GET", path, query: { name: "room é" } })).body;
    const body = { name: "room é", tag: "https://example.com/?a=1&b", aliases: [{ alias: "room é" }] };

    expect(await client.call({ method: "POST", path, body })).toEqual({ body: "" });
    expect(await rows()).toMatchObject({
      meta: { next: null, total_count: 1 },
      objects: [{ ...body, id: 1 }],
    });
    expect(await client.call({ method: "PATCH", path: `${path}1/`, body: { tag: "" } })).toEqual({
      body: "",
    });
    expect(await rows()).toMatchObject({ objects: [{ id: 1, tag: "" }] });
    expect(await client.call({ method: "DELETE", path: `${path}1/` })).toEqual({ body: "" });
    expect(await rows()).toMatchObject({ objects: [] });
  });

  test("lists the rooms of all pages, the live conferences and the alarms", async () => {
    const { client, platform } = open();
    platform.setBehaviour({ maxPageSize: 2 });
    platform.seedRooms({ count: 5 });
    platform.startConference({ name: "room-00001" });
    platform.raiseAlarm({ name: "licenses_exhausted" });

    expect(await createConferences(client).list()).toHaveLength(5);
    expect(await createPlatformStatus(client).liveConferences()).toEqual(new Set(["room-00001"]));
    expect(await createPlatformStatus(client).alarms()).toHaveLength(1);
  });

  test("refuses a taken name, and what does not exist", async () => {
    const { client, platform } = open();
    platform.seedRooms({ count: 1 });
    await expect(client.call({ method: "POST", path, body: { name: "room-00000" } })).rejects.toMatchObject({
      outcome: "refused",
      platformStatus: 400,
      body: { conference: { name: [expect.stringContaining("already exists")] } },
    });
    await expect(client.call({ method: "DELETE", path: `${path}9/` })).rejects.toMatchObject({
      outcome: "refused",
      platformStatus: 404,
    });
  });

  test.each([
    [{ kind: "reset" as const }, { outcome: "unknown", code: "platform-unavailable" }],
    [{ kind: "timeout" as const }, { outcome: "unknown", code: "platform-timeout" }],
    [{ kind: "html500" as const }, { outcome: "unknown", platformStatus: 500 }],
    [
      { kind: "status" as const, status: 429, retryAfterSeconds: 7 },
      { outcome: "refused", platformStatus: 429, hasRetryAfter: true, details: { retryAfterSeconds: 7 } },
    ],
  ])("has the fault %o before or after a change", async (fault, failure) => {
    const { newClient, platform } = open();
    for (const when of ["before", "after"] as const) {
      platform.addFault({ ...fault, when, count: 1 });
      // A client pauses after a 429.
      await expect(newClient().call({ method: "POST", path, body: { name: when } })).rejects.toMatchObject(
        failure,
      );
    }
    expect(platform.rooms()).toMatchObject([{ name: "after" }]);
  });

  test.each([
    ["refuse" as const, "not-sent"],
    ["reset" as const, "unknown"],
    ["503" as const, "unknown"],
  ])("is down and back after an outage of kind %s", async (mode, outcome) => {
    const { newClient, platform } = open();
    await platform.goDown(mode);
    await expect(newClient().call({ method: "GET", path })).rejects.toMatchObject({ outcome });
    await platform.goUp();
    await expect(newClient().call({ method: "GET", path })).resolves.toBeDefined();
  });
});
